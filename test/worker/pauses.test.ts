import type { Handler } from '@mailroom/domain';
import { endPause, openPause } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startWorker, type Worker } from '../../apps/worker/src/worker.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { delivery, effectsOf, emptyInbox, inboxRow, incomingEvent, testReceiver } from '../support/inbox-fixtures.ts';
import { effectHandler, workerOptions } from '../support/test-worker.ts';
import { waitFor } from '../support/wait-for.ts';

describe('pauses and breakers', () => {
  let db: TestDatabase;
  let workers: Worker[] = [];
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(async () => {
    await Promise.all(workers.map((worker) => worker.drain()));
    workers = [];
    await emptyInbox(db.database);
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.drain()));
    await db.drop();
  });

  it('let a paused endpoint receive while its rows wait and burn no attempt, and others go on', async () => {
    const what = { scope: 'endpoint', provider: 'stripe', endpoint: 'billing' } as const;
    const pause = await openPause(db.database, { what, actor: 'alice', reason: 'migrating the ledger' });
    expect(await openPause(db.database, { what, actor: 'bob', reason: 'again' })).toBeUndefined();
    await receive('billing', 20);
    await receive('other', 5);
    start();
    await waitFor('the other endpoint to be worked off', async () => (await count('processed')) === 5);
    await waitFor('the paused rows to be held', async () => (await count('held')) === 20);
    expect(await inboxRow(db.database, 'billing_0')).toMatchObject({
      attempts: 0,
      held_by: `pause:${pause}`,
      state_reason: 'paused by alice: migrating the ledger',
    });
    await endPause(db.database, pause ?? '', 'alice', 'done migrating');
    await waitFor('everything to be processed', async () => (await count('processed')) === 25);
    expect(await actions()).toEqual([
      ['alice', 'pause', 'migrating the ledger'],
      ['alice', 'resume', 'done migrating'],
    ]);
    await expect(endPause(db.database, pause ?? '', 'alice', 'twice')).rejects.toMatchObject({ code: 'no_such_pause' });
  });

  it('hold what falls under a paused event type', async () => {
    await receive('billing', 3);
    await openPause(db.database, {
      what: { scope: 'event_type', provider: 'stripe', eventType: 'test.event' },
      actor: 'alice',
      reason: 'r',
    });
    start();
    await waitFor('the rows to be held', async () => (await count('held')) === 3);
    expect(await count('processed')).toBe(0);
  });

  it('hold the events of a paused failure group and no others, and let them go when it is mended', async () => {
    let broken = true;
    const handler: Handler = {
      ...effectHandler,
      handle: (context) =>
        broken && context.event.endpoint === 'broken'
          ? Promise.reject(new Error('the ledger is closed'))
          : effectHandler.handle(context),
    };
    await receive('broken', 5, 1_000);
    start({ handlers: [handler], retry: { backoff: { baseMs: 20, capMs: 20 }, maxInfraRetries: 3 } });
    const group = await waitFor('every event to have failed', async () => {
      const { rows } = await db.database.pool.query<{ failureGroup: string | null }>(
        'select failure_group as "failureGroup" from webhook_inbox',
      );
      const groups = new Set(rows.map(({ failureGroup }) => failureGroup));
      return groups.size === 1 ? rows[0]?.failureGroup : undefined;
    });
    const what = { scope: 'failure_group', failureGroup: group } as const;
    const pause = await openPause(db.database, { what, actor: 'alice', reason: 'the ledger is being mended' });
    await waitFor('its events to be held', async () => (await count('held')) === 5);
    await receive('sound', 5);
    await waitFor('the others to be processed', async () => (await count('processed')) === 5);
    expect(await inboxRow(db.database, 'broken_0')).toMatchObject({ state: 'held', held_by: `pause:${pause}` });
    broken = false;
    await endPause(db.database, pause ?? '', 'alice', 'mended');
    await waitFor('everything to be processed', async () => (await count('processed')) === 10);
  });

  it('open by themselves when a handler fails above the rate, try a canary, and close at its success', async () => {
    let broken = true;
    const handler: Handler = {
      ...effectHandler,
      handle: (context) => (broken ? Promise.reject(new Error('ledger closed')) : effectHandler.handle(context)),
    };
    await receive('billing', 60, 1_000);
    const breaker = { minAttempts: 30, failureShare: 0.8, windowMs: 60_000, canaryAfterMs: 100 };
    start({ handlers: [handler], breaker, retry: { backoff: { baseMs: 50, capMs: 50 }, maxInfraRetries: 3 } });
    await waitFor('the breaker to hold the rows', async () => (await count('held')) === 60);
    const { rows } = await db.database.pool.query<{ attempts: number }>(
      'select sum(total_attempts)::int as attempts from webhook_inbox',
    );
    expect(rows[0]?.attempts).toBeLessThan(1_000);
    expect((await actions())[0]?.slice(0, 2)).toEqual(['rule:breaker', 'pause']);
    broken = false;
    await db.database.pool.query('update pauses set next_canary_at = now()');
    await waitFor('everything to be processed', async () => (await count('processed')) === 60);
    expect((await actions()).at(-1)).toEqual(['rule:breaker', 'resume', 'a canary succeeded']);
  });

  it('close although what opened the breaker still fails: what came later is the canary', async () => {
    const handler: Handler = {
      ...effectHandler,
      handle: (context) =>
        context.event.eventId.startsWith('poison') ? Promise.reject(new Error('never')) : effectHandler.handle(context),
    };
    await receive('poison', 30, 1_000);
    const breaker = { minAttempts: 30, failureShare: 0.8, windowMs: 60_000, canaryAfterMs: 3_600_000 };
    start({ handlers: [handler], breaker, retry: { backoff: { baseMs: 50, capMs: 50 }, maxInfraRetries: 3 } });
    await waitFor('the breaker to hold the poison', async () => (await count('held')) === 30);
    await receive('billing', 5);
    await waitFor('the breaker to hold what is sound', async () => (await count('held')) === 35);
    // What was poison still is, so the breaker may open again as often as it closes.
    await waitFor('what is sound to be processed', async () => {
      await db.database.pool.query('update pauses set next_canary_at = now() where ended_at is null');
      return (await count('processed')) === 5;
    });
    expect(await actions()).toContainEqual(['rule:breaker', 'resume', 'a canary succeeded']);
  });

  it('give failures that look alike one group that knows its first release', async () => {
    const failing = (message: string): Handler => ({
      ...effectHandler,
      handle: () => Promise.reject(new Error(message)),
    });
    await receive('billing', 2, 1);
    start({ handlers: [failing('invoice in_123456 is closed')], release: 'v1' });
    await waitFor('both to be exhausted', async () => (await count('exhausted')) === 2);
    const groups = await db.database.kysely.selectFrom('failure_groups').selectAll().execute();
    expect(groups).toMatchObject([{ failures: '2', first_release: 'v1', class: 'handler', event_type: 'test.event' }]);
    expect(await inboxRow(db.database, 'billing_0')).toMatchObject({ failure_group: groups[0]?.failure_group });
  });

  it('keep events of one object one at a time over several workers, and none overtakes one that is tried again', async () => {
    const running = new Map<string, string>();
    const tryingAgain = new Map<string, string>();
    const violations: string[] = [];
    const failed = new Set<string>();
    const handler: Handler = {
      ...effectHandler,
      serialize: 'wait',
      handle: async (context) => {
        const { eventId, objectKey } = context.event;
        const object = objectKey ?? '';
        if (running.has(object)) violations.push(`${eventId} ran beside ${running.get(object)}`);
        const before = tryingAgain.get(object);
        if (before !== undefined && before !== eventId) violations.push(`${eventId} overtook ${before}`);
        running.set(object, eventId);
        try {
          await effectHandler.handle(context);
          if (failed.size < 8 && !failed.has(eventId)) {
            failed.add(eventId);
            tryingAgain.set(object, eventId);
            throw new Error('again');
          }
          tryingAgain.delete(object);
          return done;
        } finally {
          running.delete(object);
        }
      },
    };
    for (const name of ['w1', 'w2', 'w3']) start({ name, handlers: [handler] });
    const receiver = testReceiver(db.database, { maxAttempts: 10 });
    await Promise.all(
      Array.from({ length: 60 }, (_, n) => {
        const id = `evt_${n}`;
        return receiver.receive(delivery(id, { events: [incomingEvent(id, { objectKey: `object_${n % 4}` })] }));
      }),
    );
    await receiver.close();
    await waitFor('everything to be processed', async () => (await count('processed')) === 60, { deadlineMs: 40_000 });
    expect(violations).toEqual([]);
    expect(failed.size).toBe(8);
    for (let n = 0; n < 60; n += 1) expect(await effectsOf(db.database, `evt_${n}`)).toBe(1);
    expect(await db.database.kysely.selectFrom('inbox_objects').selectAll().execute()).toEqual([]);
  });

  it('let a stuck head hold the others of its object, unless the family says that they overtake', async () => {
    for (const serialize of ['wait', 'overtake'] as const) {
      await emptyInbox(db.database);
      const handler: Handler = {
        ...effectHandler,
        serialize,
        handle: (context) =>
          context.event.eventId === 'head' ? Promise.reject(new Error('stuck')) : effectHandler.handle(context),
      };
      const receiver = testReceiver(db.database, { maxAttempts: 1 });
      for (const id of ['head', 'next']) {
        await receiver.receive(delivery(id, { events: [incomingEvent(id, { objectKey: 'object' })] }));
      }
      await receiver.close();
      const worker = startWorker(workerOptions(db.database, { handlers: [handler] }));
      await waitFor(
        'the head to be exhausted',
        async () => (await inboxRow(db.database, 'head')).state === 'exhausted',
      );
      const expected = serialize === 'wait' ? 'held' : 'processed';
      await waitFor(`the next to be ${expected}`, async () => (await inboxRow(db.database, 'next')).state === expected);
      await worker.drain();
      expect(await effectsOf(db.database, 'next')).toBe(serialize === 'wait' ? 0 : 1);
    }
  });

  it('serve a quiet endpoint beside a flood: it never waits for the flood to end', async () => {
    const seen: string[] = [];
    const handler: Handler = {
      ...effectHandler,
      handle: (context) => {
        seen.push(context.event.endpoint);
        return effectHandler.handle(context);
      },
    };
    await receive('flood', 3_000);
    await receive('quiet', 5);
    start({ handlers: [handler], maxHeldRows: 200 });
    await waitFor('everything to be processed', async () => (await count('processed')) === 3_005, {
      deadlineMs: 40_000,
    });
    expect(seen.lastIndexOf('quiet')).toBeLessThan(600);
  });

  function start(differing: Parameters<typeof workerOptions>[1] = {}): void {
    workers.push(startWorker(workerOptions(db.database, differing)));
  }

  async function receive(endpoint: string, rows: number, maxAttempts = 3): Promise<void> {
    const receiver = testReceiver(db.database, { maxAttempts });
    await Promise.all(
      Array.from({ length: rows }, (_, n) => receiver.receive(delivery(`${endpoint}_${n}`, { endpoint }))),
    );
    await receiver.close();
  }

  async function count(state: string): Promise<number> {
    const { rows } = await db.database.pool.query('select from webhook_inbox where state = $1', [state]);
    return rows.length;
  }

  async function actions(): Promise<(readonly [string, string, string])[]> {
    const rows = await db.database.kysely.selectFrom('operator_actions').selectAll().orderBy('action_id').execute();
    return rows.map(({ actor, action, reason }) => [actor, action, reason] as const);
  }
});
