import type { Database } from '@mailroom/db';
import { type EventHandler, handlerLookup } from '@mailroom/inbox';
import { adminQuery } from './admin-query.ts';
import { type Attempt, attemptDue, type Mode, type WorkerOptions } from './attempt.ts';
import { comparedTables } from './compared-columns.ts';
import type { SampleDelivery } from './delivery.ts';
import { emptyTables, tablesToEmpty } from './empty-tables.ts';
import { type EndState, readEndState } from './end-state.ts';
import { withHeldCommits } from './held-commits.ts';
import { endpoints, type KitEndpoint, startIngestor } from './ingestor.ts';
import { startStatementProxy } from './statement-proxy.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import { unfinished, workOff } from './work-off.ts';

export interface StageOptions {
  readonly handlers: readonly EventHandler[];
  readonly deliveries: readonly SampleDelivery[];
  /** What is compared beside the outbox. */
  readonly tables: readonly string[];
  readonly ignore?: readonly string[];
  readonly ignoreTopics?: readonly string[];
  /** What must be there before the events, written after each emptying. */
  readonly prepare?: (database: Database) => Promise<void>;
}

/** One delivery on its way to one of the two endpoints. */
export interface Sent {
  readonly delivery: SampleDelivery;
  readonly endpoint: KitEndpoint;
}

/** How a run went. */
export interface Run {
  readonly end: EndState;
  /** Events that are not finished, and why. */
  readonly unfinished: readonly string[];
}

/** A database, the real ingestor and workers, on which the same events can be played again and again. */
export interface Stage {
  /** Delivers one after another; each is worked off as far as it gets before the next arrives. */
  readonly oneByOne: (sent: readonly Sent[], mode: Mode) => Promise<Run>;
  /** Delivers all, then works them off together. */
  readonly allAtOnce: (sent: readonly Sent[], mode: Mode) => Promise<Run>;
  /** Delivers all, then hands them to several workers, none of which commits before all have written what they can. */
  readonly sideBySide: (sent: readonly Sent[], mode: Mode, workers: number) => Promise<Run>;
  /**
   * Delivers all and works them off; the connection is cut when `statements` have been answered and one more has run. Null: it
   * took no more than that. `left` is what is there after the attempt that was cut, where it is to be tried again.
   */
  readonly interrupted: (sent: readonly Sent[], mode: Mode, statements: number) => Promise<InterruptedRun | null>;
  readonly close: () => Promise<void>;
}

export interface InterruptedRun extends Run {
  /** What was there right after the attempt that failed, and how many events were finished by then; null: none failed. */
  readonly left: { readonly end: EndState; readonly finished: number } | null;
}

/** Clones a database and starts an ingestor on it. */
export async function openStage(options: StageOptions): Promise<Stage> {
  const db = await createTestDatabase();
  try {
    return await openStageOn(db, options);
  } catch (error) {
    await db.drop();
    throw error;
  }
}

async function openStageOn(db: TestDatabase, options: StageOptions): Promise<Stage> {
  const { database } = db;
  // Only a crash of the server's machine could tell the difference, and hundreds of runs are twice as quick.
  await adminQuery(db.url, `alter database ${new URL(db.url).pathname.slice(1)} set synchronous_commit = off`);
  const emptied = await tablesToEmpty(database);
  const compared = await comparedTables(database, [...options.tables, 'outbox'], options.ignore ?? []);
  const proxy = await startStatementProxy(db.url);
  // One connection, so that statements come in one order.
  const cuttable = db.open({ url: proxy.url, maxConnections: 1 });
  const ingestor = await startIngestor(db.url, options.deliveries);
  const find = handlerLookup(options.handlers);
  const ignoredTopics = new Set(options.ignoreTopics);

  return { oneByOne, allAtOnce, sideBySide, interrupted, close };

  async function oneByOne(sent: readonly Sent[], mode: Mode): Promise<Run> {
    await begin();
    const worker = workerIn(mode);
    const attempts: Attempt[] = [];
    for (const one of sent) {
      await ingestor.deliver(one.delivery, one.endpoint);
      attempts.push(...(await attemptDue(worker)));
    }
    return await finish(worker, attempts);
  }

  async function allAtOnce(sent: readonly Sent[], mode: Mode): Promise<Run> {
    await begin();
    await deliverAll(sent);
    return await finish(workerIn(mode));
  }

  async function sideBySide(sent: readonly Sent[], mode: Mode, workers: number): Promise<Run> {
    await begin();
    await deliverAll(sent);
    const share = Math.ceil(sent.length / workers);
    await withHeldCommits(
      database,
      Array.from({ length: workers }, () => async (beforeCommit: () => Promise<void>) => {
        await attemptDue({ ...workerIn(mode), beforeCommit }, share);
      }),
    );
    return await finish(workerIn(mode));
  }

  async function interrupted(sent: readonly Sent[], mode: Mode, statements: number): Promise<InterruptedRun | null> {
    await begin();
    await deliverAll(sent);
    let finished = 0;
    let left: InterruptedRun['left'] = null;
    const worker: WorkerOptions = {
      ...workerIn(mode),
      work: cuttable,
      afterAttempt: async ({ result: { outcome } }) => {
        if (outcome === 'processed' || outcome === 'ignored') finished += 1;
        else if (proxy.hasCut()) left ??= { end: await read(), finished };
      },
    };
    proxy.cutAfter(statements);
    const attempts = await workOff(worker);
    return proxy.hasCut() ? { ...(await finish(worker, attempts)), left } : null;
  }

  async function read(): Promise<EndState> {
    const end = await readEndState(database, compared);
    return new Map([...end, ['outbox', (end.get('outbox') ?? []).filter(isCompared)]]);
  }

  function isCompared(message: string): boolean {
    return !ignoredTopics.has((JSON.parse(message) as { readonly topic: string }).topic);
  }

  async function begin(): Promise<void> {
    proxy.cutAfter(Number.POSITIVE_INFINITY);
    await emptyTables(database, emptied);
    await options.prepare?.(database);
  }

  async function deliverAll(sent: readonly Sent[]): Promise<void> {
    for (const { delivery, endpoint } of sent) await ingestor.deliver(delivery, endpoint);
  }

  async function finish(worker: WorkerOptions, before: readonly Attempt[] = []): Promise<Run> {
    const attempts = [...before, ...(await workOff(worker))];
    return { end: await read(), unfinished: await unfinished(worker, attempts) };
  }

  function workerIn(mode: Mode): WorkerOptions {
    return { mode, find, work: database, control: database };
  }

  async function close(): Promise<void> {
    await ingestor.stop();
    await proxy.close();
    await db.drop();
  }
}

/** Each delivery to one endpoint. */
export function once(deliveries: readonly SampleDelivery[]): readonly Sent[] {
  return deliveries.map((delivery) => ({ delivery, endpoint: endpoints[0] }));
}

/** Each delivery to both endpoints. */
export function twice(deliveries: readonly SampleDelivery[]): readonly Sent[] {
  return deliveries.flatMap((delivery) => endpoints.map((endpoint) => ({ delivery, endpoint })));
}
