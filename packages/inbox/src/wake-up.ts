import { type Database, type Listener, listen } from '@mailroom/db';

/** The channel of the hint that there is work. The payload is empty: it says look, not what. */
const channel = 'mailroom_inbox';

/**
 * Hints to waiting workers that there is work: at once, then at most every `everyMs` milliseconds. Outside the receipt's
 * transaction, for NOTIFY inside it serialises commits (measured: a third of the throughput). A hint that fails is nobody's loss:
 * workers poll.
 */
export function createHints(database: Database, everyMs = 10): () => void {
  let hintedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  return hint;

  function hint(): void {
    if (timer) return;
    const waitMs = Math.max(0, hintedAt + everyMs - performance.now());
    timer = setTimeout(send, waitMs);
    timer.unref();
  }

  function send(): void {
    timer = undefined;
    hintedAt = performance.now();
    database.pool.query('select pg_notify($1, $2)', [channel, '']).catch(() => undefined);
  }
}

/** Calls `onHint` when an ingestor hints; see `listen` for what happens where that cannot be had. */
export function listenForHints(options: {
  readonly url: string;
  readonly onHint: () => void;
  readonly onProblem: (error: unknown) => void;
}): Listener {
  return listen({ url: options.url, channel, onNotification: options.onHint, onProblem: options.onProblem });
}
