import { setTimeout as pause } from 'node:timers/promises';
import { classifyDatabaseError, type Database, inTransaction, type Tx } from '@mailroom/db';
import { CodedError, fullJitterMs, type Logger, messageOf } from '@mailroom/kernel';
import { type Ending, endingOf, type OutboxRetryPolicy, thrown } from './ending.ts';
import { lockClaimed, publishRows, settleRows } from './sql/finish.ts';
import { releaseNext } from './sql/release.ts';

/**
 * How recording ended. `stale`: somebody else has claimed the message since, so nothing was written. `not_recorded`: the database could
 * not be reached until the lease was over; whoever claims the message next sends it again.
 */
export type Recorded =
  | { readonly outcome: 'recorded'; readonly ending: Ending }
  | { readonly outcome: 'stale' | 'not_recorded' };

export interface Recorder {
  /** Records one ending, together with whatever else ended meanwhile. Never throws. */
  record(ending: Ending): Promise<Recorded>;
  /** Resolves when nothing is being recorded. */
  idle(): Promise<void>;
}

/**
 * Writes endings where their fencing tokens still match. Endings that gather while a transaction is under way share the next one: one
 * statement marks all that were sent. One with rows of its own (`record`) has a transaction of its own.
 */
export function createRecorder(
  database: Database,
  options: {
    readonly retry: OutboxRetryPolicy;
    /** How long to go on trying while the database is away. */
    readonly patienceMs: number;
    /** How many held messages of an aggregate follow a finished one at once. */
    readonly run: number;
    readonly log: Logger;
    /** Messages became due. */
    readonly onReleased: () => void;
  },
): Recorder {
  interface Waiting {
    readonly ending: Ending;
    readonly resolve: (recorded: Recorded) => void;
  }
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;

  return {
    record: (ending) => {
      const { promise, resolve } = Promise.withResolvers<Recorded>();
      waiting.push({ ending, resolve });
      flushing ??= flush();
      return promise;
    },
    idle: () => flushing ?? Promise.resolve(),
  };

  async function flush(): Promise<void> {
    // What ends in the same moment goes along.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const [shared, own] = [batch.filter(isShared), batch.filter((one) => !isShared(one))];
      if (shared.length > 0) await recordShared(shared);
      for (const one of own) one.resolve(await recordOwn(one.ending));
    }
    flushing = undefined;
  }

  async function recordShared(batch: readonly Waiting[]): Promise<void> {
    const endings = batch.map(({ ending }) => ending);
    try {
      const marked = await persistently(() => inTransaction(database, (tx) => mark(tx, endings)));
      const late = endings.filter(({ message }) => !marked.has(message.id));
      const known = late.length === 0 ? marked : new Set([...marked, ...(await publishedByUs(late))]);
      for (const { ending, resolve } of batch) {
        resolve(known.has(ending.message.id) ? { outcome: 'recorded', ending } : { outcome: 'stale' });
      }
    } catch (error) {
      // One that the database refuses must not cost the others theirs.
      if (batch.length > 1 && !isAway(error)) for (const one of batch) await recordShared([one]);
      else for (const { ending, resolve } of batch) resolve(notRecorded(ending, error));
    }
  }

  async function recordOwn(ending: Ending): Promise<Recorded> {
    const { id, fencingToken } = ending.message;
    try {
      return await persistently(() =>
        inTransaction(database, async (tx): Promise<Recorded> => {
          const found = await lockClaimed(tx, id, fencingToken);
          if (found !== 'ours') return found === 'published' ? { outcome: 'recorded', ending } : { outcome: 'stale' };
          await ending.record?.(tx);
          const marked = await mark(tx, [ending]);
          if (!marked.has(id))
            throw new CodedError('completion_lost', 'the outbox row changed under its own completion');
          return { outcome: 'recorded', ending };
        }),
      );
    } catch (error) {
      if (isAway(error)) return notRecorded(ending, error);
      const failed = endingOf(ending.message, thrown(error), options.retry);
      return await new Promise((resolve) => void recordShared([{ ending: failed, resolve }]));
    }
  }

  /** Marks what is still ours and lets the next of their aggregates go. Answers the ids that were marked. */
  async function mark(tx: Tx, endings: readonly Ending[]): Promise<ReadonlySet<string>> {
    const sent = endings.filter(({ state }) => state === 'published');
    const rest = endings.filter(({ state }) => state !== 'published');
    const marked = new Set([
      ...(sent.length > 0 ? await publishRows(tx, sent) : []),
      ...(rest.length > 0 ? await settleRows(tx, rest) : []),
    ]);
    const gone = endings.filter(({ message, state }) => marked.has(message.id) && leavesTheLine.has(state));
    if (gone.length > 0) {
      const aggregates = gone.map(({ message }) => message.aggregate);
      if ((await releaseNext(tx, aggregates, options.run)) > 0) options.onReleased();
    }
    return marked;
  }

  /** After a commit whose answer was lost the rows are marked already, under our own tokens. */
  async function publishedByUs(endings: readonly Ending[]): Promise<readonly string[]> {
    const { rows } = await database.pool.query<{ readonly id: string }>(
      `select o.outbox_id as id from unnest($1::bigint[], $2::bigint[]) as n (outbox_id, token)
       join outbox o on o.outbox_id = n.outbox_id and o.claim_token = n.token and o.state = 'published'`,
      [endings.map(({ message }) => message.id), endings.map(({ message }) => message.fencingToken)],
    );
    return rows.map(({ id }) => id);
  }

  async function persistently<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + options.patienceMs;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (!isAway(error) || performance.now() >= until) throw error;
        await pause(fullJitterMs(backoff, attempt));
      }
    }
  }

  function notRecorded({ message, state }: Ending, error: unknown): Recorded {
    options.log.error('send_not_recorded', { message: message.id, state, error: messageOf(error) });
    return { outcome: 'not_recorded' };
  }
}

function isShared({ ending }: { readonly ending: Ending }): boolean {
  return ending.record === null;
}

const leavesTheLine: ReadonlySet<Ending['state']> = new Set(['published', 'unrouted']);
const backoff = { baseMs: 50, capMs: 2_000 };

/** Whether the same transaction may well succeed soon. */
function isAway(error: unknown): boolean {
  if (error instanceof CodedError && error.code === 'commit_outcome_unknown') return true;
  const databaseClass = classifyDatabaseError(error);
  return databaseClass !== null && away.has(databaseClass);
}

const away: ReadonlySet<string> = new Set([
  'serialization',
  'deadlock',
  'lock_timeout',
  'connection',
  'shutdown',
  'resources',
]);
