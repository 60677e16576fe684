/** Signals that mean "stop": Ctrl-C, a polite kill, the terminal closed. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * A signal this soon after the first is the same wish: at Ctrl-C the terminal signals npm and us, and npm passes its own on
 * to us (@npmcli/run-script, lib/signal-manager.js).
 */
const sameWishMs = 500;

/** Calls `onFirst` at the first signal and `onSecond` at a later one. */
export function onStopSignals(onFirst: () => void, onSecond: () => void): void {
  let firstAtMs: number | null = null;
  const heard = (): void => {
    if (firstAtMs === null) {
      firstAtMs = performance.now();
      onFirst();
      return;
    }
    if (performance.now() - firstAtMs > sameWishMs) onSecond();
  };
  for (const signal of signals) process.on(signal, heard);
}
