import { setTimeout as pause } from 'node:timers/promises';

/** Looks again and again, one look at a time, until stopped. */
export interface Watch {
  /** No more looks; resolves when the one under way is over. */
  stop(): Promise<void>;
}

/** `look` must not throw. The pause lies between the end of a look and the next, so a slow look never piles up. */
export function watch(look: () => Promise<void>, everyMs: number): Watch {
  const stopping = new AbortController();
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await look();
      await pause(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return watching;
    },
  };
}
