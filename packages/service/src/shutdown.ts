import { constants } from 'node:os';
import { type Logger, messageOf } from '@mailroom/kernel';

/** The part of Node's `process` that a shutdown needs. Only apps hand it in. */
export interface ShutdownProcess {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  exit(code: number): void;
}

export interface ShutdownOptions {
  /** Milliseconds from the first signal until the process gives up and exits with 1. */
  readonly deadlineMs: number;
  /** Ends everything in order; the process exits when it resolves. */
  readonly stop: () => Promise<void>;
  readonly log: Logger;
}

/**
 * SIGTERM and SIGINT end the process: exit code 0 when everything was finished, 1 when `deadlineMs` passed or something
 * failed. A second signal exits at once with 128 plus its number (130, 143), as a shell reports a process that a signal
 * ended.
 */
export function shutDownOnSignals(process: ShutdownProcess, options: ShutdownOptions): void {
  let firstAtMs: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => onSignal(signal));

  function onSignal(signal: 'SIGTERM' | 'SIGINT'): void {
    if (firstAtMs === undefined) {
      firstAtMs = performance.now();
      options.log.info('shutdown_started', { signal });
      void shutDown();
    } else if (performance.now() - firstAtMs > samePressMs) {
      process.exit(128 + constants.signals[signal]);
    }
  }

  async function shutDown(): Promise<void> {
    setTimeout(() => {
      options.log.error('shutdown_deadline_passed', { deadline_ms: options.deadlineMs });
      process.exit(1);
    }, options.deadlineMs).unref();
    try {
      await options.stop();
      options.log.info('shutdown_finished');
      process.exit(0);
    } catch (error) {
      options.log.error('shutdown_failed', { error: messageOf(error) });
      process.exit(1);
    }
  }
}

/**
 * One Ctrl-C arrives more than once: the terminal signals the whole process group, and npm or a supervisor passes the
 * signal on. What follows the first this closely is the same press.
 */
const samePressMs = 250;
