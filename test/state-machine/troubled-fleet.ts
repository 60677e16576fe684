import type { Database } from '@mailroom/db';
import type { Handler } from '@mailroom/domain';
import { endPause, openPause, retryEvents } from '@mailroom/inbox';
import { ignored, reject, snooze } from '@mailroom/kernel';
import { startWorker, type Worker } from '../../apps/worker/src/worker.ts';
import { delivery, incomingEvent, testReceiver } from '../support/inbox-fixtures.ts';
import { effectHandler, workerOptions } from '../support/test-worker.ts';
import { waitFor } from '../support/wait-for.ts';

/** Workers with every kind of handler, whose leases run out under them, beside operators who pause and retry. */
export async function troubledFleet(database: Database): Promise<void> {
  const kinds = ['good', 'ignored', 'rejected', 'snoozed', 'failing', 'in_turn', 'unknown', 'paused'];
  const events = kinds.flatMap((kind) => eventsOf(kind, 10));
  await receive(database, events);
  const pause = await openPause(database, {
    what: { scope: 'event_type', provider: 'stripe', eventType: 'paused' },
    actor: 'alice',
    reason: 'r',
  });

  const stuck = Promise.withResolvers<void>();
  let workers = startWorkers(database, handlers(stuck.promise));
  try {
    await waitFor(
      'the parked, the paused, the failing',
      async () => {
        const counted = await countByState(database);
        return counted['parked'] === 10 && counted['held'] === 10 && counted['exhausted'] === 10;
      },
      { deadlineMs: 40_000 },
    );
    await receive(database, eventsOf('stuck', 4));
    // Rows that wait in a worker's queue behind one that is stuck are taken for those of a dead worker.
    await waitFor(
      'leases to run out',
      async () => {
        await expireQueued(database);
        const { rowCount } = await database.pool.query("select from inbox_failures where class = 'worker_died'");
        return (rowCount ?? 0) > 0;
      },
      { deadlineMs: 40_000 },
    );
    stuck.resolve();
    await endPause(database, pause ?? '', 'alice', 'over');
    const buried = events.filter(({ kind }) => kind === 'failing' || kind === 'rejected');
    const keys = buried.map(({ eventId }) => ({ provider: 'stripe', endpoint: 'billing', eventId }));
    await retryEvents(database, { keys, actor: 'alice', reason: 'mended' });
    await stop(workers);
    workers = startWorkers(database, [...handlers(stuck.promise), { ...effectHandler, eventType: 'unknown' }]);
    await waitFor(
      'everything to end',
      async () => {
        const counted = await countByState(database);
        return (counted['pending'] ?? 0) + (counted['held'] ?? 0) + (counted['parked'] ?? 0) === 0;
      },
      { deadlineMs: 40_000 },
    );
  } finally {
    stuck.resolve();
    await stop(workers);
  }
}

interface Received {
  readonly kind: string;
  readonly eventId: string;
}

function eventsOf(kind: string, total: number): readonly Received[] {
  return Array.from({ length: total }, (_, n) => ({ kind, eventId: `${kind}_${n}` }));
}

async function receive(database: Database, events: readonly Received[]): Promise<void> {
  const receiver = testReceiver(database, { maxAttempts: 3 });
  await Promise.all(
    events.map(({ kind, eventId }) => {
      const objectKey = kind === 'in_turn' || kind === 'stuck' ? kind : null;
      return receiver.receive(delivery(eventId, { events: [incomingEvent(eventId, { eventType: kind, objectKey })] }));
    }),
  );
  await receiver.close();
}

function handlers(until: Promise<void>): readonly Handler[] {
  let snoozes = 0;
  const of = (eventType: string, handle: Handler['handle']): Handler => ({ ...effectHandler, eventType, handle });
  return [
    { ...effectHandler, eventType: 'good' },
    { ...effectHandler, eventType: 'paused' },
    of('ignored', () => Promise.resolve(ignored('nothing to do'))),
    of('rejected', () => Promise.resolve(reject('no', 'never'))),
    of('failing', () => Promise.reject(new Error('no'))),
    of('snoozed', (context) => {
      snoozes += 1;
      return snoozes < 20 ? Promise.resolve(snooze(0, 'not now')) : effectHandler.handle(context);
    }),
    { ...effectHandler, eventType: 'in_turn', serialize: 'overtake' },
    of('stuck', async (context) => {
      await until;
      return await effectHandler.handle(context);
    }),
  ];
}

function startWorkers(database: Database, known: readonly Handler[]): readonly Worker[] {
  return ['w1', 'w2'].map((name) => startWorker(workerOptions(database, { name, handlers: known, slots: 2 })));
}

async function stop(workers: readonly Worker[]): Promise<void> {
  await Promise.all(workers.map((worker) => worker.drain()));
}

/** Of rows that are claimed and not at work, which would be waited for. */
async function expireQueued({ pool }: Database): Promise<void> {
  await pool.query(
    `update webhook_inbox i set leased_until = now() - interval '1 ms'
     from (select provider, endpoint, event_id from webhook_inbox where lease_token is not null for update skip locked) as q
     where i.provider = q.provider and i.endpoint = q.endpoint and i.event_id = q.event_id`,
  );
}

async function countByState({ pool }: Database): Promise<Readonly<Record<string, number>>> {
  const { rows } = await pool.query<{ state: string; events: number }>(
    'select state, count(*)::int as events from webhook_inbox group by state',
  );
  return Object.fromEntries(rows.map(({ state, events }) => [state, events]));
}
