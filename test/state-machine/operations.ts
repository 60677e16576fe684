import { type Database, inTransaction } from '@mailroom/db';
import {
  type ClaimedEvent,
  claimCanary,
  createClaimer,
  endPause,
  giveBack,
  heldByPause,
  holdForPause,
  openPause,
  openPauses,
  park,
  passTurns,
  processEvent,
  prune,
  rearm,
  receiveAndProcess,
  releaseEnded,
  renew,
  reparseEvent,
  retryEvents,
  takeTurn,
} from '@mailroom/inbox';
import { done, type HandlerOutcome, ignored, reject, snooze } from '@mailroom/kernel';
import { bookingHandler } from '../support/booking-handler.ts';
import { delivery, incomingEvent, processOptions, testReceiver } from '../support/inbox-fixtures.ts';

/** Everything that the code does to rows of webhook_inbox, each tried on a row in every place. */
export interface Operation {
  readonly name: string;
  /** The file whose statement it is about. */
  readonly by: string;
  /** Who holds the held rows; the pause is open or over as the operation needs it. */
  readonly prepare?: (database: Database) => Promise<string>;
  readonly run: (database: Database, claimed: readonly ClaimedEvent[]) => Promise<unknown>;
  /** Another file whose statement takes part. */
  readonly with?: string;
  /** Acts under the lease: with another token it must move nothing. */
  readonly fenced?: true;
}

const sql = (name: string) => `packages/inbox/src/sql/${name}.ts`;
const lease = { worker: 'w2', leaseMs: 60_000 };
const everything = { scope: 'endpoint', provider: 'stripe', endpoint: 'billing' } as const;

export const operations: readonly Operation[] = [
  {
    name: 'receive what is new, unreadable and known',
    by: sql('insert-receipts'),
    run: async (database, claimed) => {
      const receiver = testReceiver(database);
      const unreadable = incomingEvent('unreadable', { quarantineReason: 'not JSON' });
      await Promise.all([
        receiver.receive(delivery('new')),
        receiver.receive(delivery('unreadable', { events: [unreadable] })),
        ...claimed.map(({ eventId }) => receiver.receive(delivery(eventId))),
      ]);
      await receiver.close();
    },
  },
  {
    name: 'claim',
    by: sql('claim'),
    run: async (database) => {
      const claimer = createClaimer(database, lease);
      await claimer.claim(100);
      // One that is buried is no claim, and the next may be one.
      for (let times = 0; times < 10; times += 1) await claimer.claimSuspect();
    },
  },
  { name: 'renew', by: sql('renew'), fenced: true, run: (database, claimed) => renew(database, claimed, 60_000) },
  { name: 'give back', by: sql('return'), fenced: true, run: giveBack },
  {
    name: 'park',
    by: sql('settle'),
    fenced: true,
    run: (database, claimed) => each(claimed, (one) => park(database, one)),
  },
  attempt('done', sql('complete'), () => done),
  attempt('ignored', sql('complete'), () => ignored('nothing to do')),
  attempt('rejected', sql('settle'), () => reject('no', 'never')),
  attempt('snoozed', sql('settle'), () => snooze(0, 'not now')),
  attempt('a handler that throws', sql('settle'), () => fail({ message: 'no' })),
  attempt('a deadlock', sql('settle'), () => fail({ code: '40P01' })),
  attempt('a broken connection', sql('settle'), () => fail({ code: 'ECONNRESET' })),
  attempt('the last infrastructure retry', sql('settle'), () => fail({ code: '40P01' }), 0),
  {
    name: 'hold for a pause',
    by: sql('pauses'),
    fenced: true,
    prepare: openedPause,
    run: async (database, claimed) => {
      const [pause] = await openPauses(database);
      if (pause) await holdForPause(database, pause, claimed);
    },
  },
  {
    name: 'release what an ended pause held',
    by: sql('pauses'),
    prepare: async (database) => {
      const heldBy = await openedPause(database);
      await endPause(database, heldBy.replace('pause:', ''), 'alice', 'over');
      return heldBy;
    },
    run: (database) => releaseEnded(database, 100),
  },
  {
    name: 'try the canary of a breaker',
    by: sql('canary'),
    prepare: openedPause,
    run: async (database) => {
      for (let tries = 0; tries < 2; tries += 1) {
        await database.pool.query('update pauses set next_canary_at = now()');
        const [pause] = await openPauses(database);
        if (pause) await claimCanary(database, pause, { ...lease, nextAfterMs: 0 });
      }
    },
  },
  {
    name: 'wait for the turn of the object',
    by: sql('object-turn'),
    fenced: true,
    prepare: async (database) => {
      await database.pool.query("insert into inbox_objects values ('stripe', 'object_1', 'billing', 'somebody else')");
      return 'nobody';
    },
    run: (database, claimed) => each(claimed, (one) => takeTurn(database, one)),
  },
  {
    name: 'pass the turn of the object on',
    by: sql('object-turn'),
    prepare: () => Promise.resolve('object:object_1'),
    run: async (database) => {
      const turn = { provider: 'stripe', objectKey: 'object_1' };
      for (let times = 0; times < 3; times += 1) await inTransaction(database, (tx) => passTurns(tx, [turn]));
    },
  },
  {
    name: 're-arm',
    by: sql('rearm'),
    run: (database) => rearm(database, [{ provider: 'stripe', eventType: 'test.event' }], 100),
  },
  inOneTransaction('done', () => done),
  inOneTransaction('ignored', () => ignored('nothing to do')),
  inOneTransaction('rejected', () => reject('no', 'never')),
  {
    name: 'receiveAndProcess without a handler',
    by: sql('finish-unleased'),
    with: sql('insert-receipts'),
    run: (database, claimed) =>
      each([...claimed, { eventId: 'new' }], ({ eventId }) => receiveAndProcess(database, delivery(eventId), [])),
  },
  {
    name: 'retry',
    by: 'migrations/0009_retention.sql',
    run: (database, claimed) => retryEvents(database, { keys: claimed, actor: 'alice', reason: 'mended' }),
  },
  reread('as the event itself', (eventId) => incomingEvent(eventId)),
  reread('as another event', () => incomingEvent('processed')),
  {
    name: 'prune',
    by: sql('prune'),
    run: (database) =>
      prune(database, {
        retention: {
          ledgerDays: 30,
          bodyDays: 30,
          failureDays: 30,
          actionDays: 30,
          rejectionDays: 30,
          outboxDays: 30,
          findingDays: 30,
        },
        redeliveryMsOf: () => 0,
      }),
  },
];

function attempt(name: string, by: string, outcome: () => HandlerOutcome, maxInfraRetries = 20): Operation {
  return {
    name: `attempt: ${name}`,
    by,
    fenced: true,
    run: (database, claimed) => {
      const options = processOptions(database, { retry: { backoff: { baseMs: 0, capMs: 0 }, maxInfraRetries } });
      return each(claimed, (one) => processEvent(one, () => Promise.resolve().then(outcome), options));
    },
  };
}

function inOneTransaction(name: string, outcome: () => HandlerOutcome): Operation {
  return {
    name: `receiveAndProcess: ${name}`,
    by: sql('finish-unleased'),
    run: (database, claimed) =>
      each(claimed, ({ eventId }) => receiveAndProcess(database, delivery(eventId), [bookingHandler(outcome)])),
  };
}

function reread(name: string, event: (eventId: string) => ReturnType<typeof incomingEvent>): Operation {
  return {
    name: `read again: ${name}`,
    by: 'packages/inbox/src/reparse.ts',
    run: (database, claimed) =>
      each(claimed, (key) =>
        reparseEvent(database, {
          key,
          read: () => ({ outcome: 'events', events: [event(key.eventId)] }),
          maxAttempts: 3,
          actor: 'alice',
          reason: 'the reader is mended',
        }),
      ),
  };
}

async function openedPause(database: Database): Promise<string> {
  const pause = await openPause(database, { what: everything, actor: 'alice', reason: 'r', canaryAfterMs: 3_600_000 });
  return heldByPause(pause ?? '');
}

function fail(how: { readonly message?: string; readonly code?: string }): never {
  throw Object.assign(new Error(how.message ?? how.code), how);
}

async function each<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  for (const one of all) await work(one);
}
