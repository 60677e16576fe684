import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  appendTo,
  claimMessages,
  expireClaims,
  outboxRow,
  testRelay,
  waitForSent,
} from '../support/outbox-fixtures.ts';
import { startProcess } from '../support/start-process.ts';
import { waitFor } from '../support/wait-for.ts';
import type { CrashPoint } from './crashing-relay.ts';
import { makeSink } from './described-sink.ts';
import { type RunningSink, sinksUnderTest } from './sinks-under-test.ts';

const crashPoints: readonly CrashPoint[] = ['before send', 'after send', 'before mark'];

it('there are sinks to hold to the contract', () => {
  expect(sinksUnderTest.filter(({ cannotRun }) => cannotRun === null).length).toBeGreaterThan(1);
});

describe.each(sinksUnderTest)('every sink: $name', ({ cannotRun, dropsDuplicates, start }) => {
  let db: TestDatabase;
  let running: RunningSink;
  beforeAll(async () => {
    if (cannotRun === null) db = await createTestDatabase();
  });
  beforeEach(async (context) => {
    if (cannotRun !== null) return context.skip(cannotRun);
    await db.database.pool.query('delete from outbox');
    running = await start();
    return () => running.stop();
  });
  afterAll(() => db?.drop());

  it('has every message once where nothing goes wrong, told apart by the outbox id', async () => {
    const ids = await appendTo(db.database, 'a', 'b', 'a', 'c');
    const relay = testRelay(db.database, makeSink(running.description));
    await waitForSent(db.database);
    await relay.drain();
    const arrived = (await running.arrivals()).map(({ id }) => id);
    expect(arrived.toSorted()).toEqual(ids.toSorted());
    expect(arrived.indexOf(ids[0] ?? '')).toBeLessThan(arrived.indexOf(ids[2] ?? ''));
  });

  it.each(crashPoints)('loses nothing and shows a duplicate as one when its relay is killed %s', async (point) => {
    const [id = ''] = await appendTo(db.database, 'a');
    const args = [db.url, point, JSON.stringify(running.description)];
    const victim = startProcess({ script: 'test/outbox/crashing-relay.ts', args });
    expect(await victim.exited, victim.lines.join('\n')).toEqual({ code: null, signal: 'SIGKILL' });
    await expireOnceFree(id);

    const heir = testRelay(db.database, makeSink(running.description), { name: 'heir' });
    await waitForSent(db.database);
    await heir.drain();
    const row = await outboxRow(db.database, id);
    expect(row).toMatchObject({ state: 'published', attempts: 2, claim_token: '2' });
    const arrivals = await running.arrivals();
    const first = { id, fencingToken: '1' };
    const second = { id, fencingToken: '2' };
    const twice = dropsDuplicates ? [first] : [first, second];
    expect(arrivals).toEqual(point === 'before send' ? [second] : twice);
    const told = dropsDuplicates ? { duplicate: point !== 'before send' } : {};
    expect(row.result ?? {}).toMatchObject(told);
  });

  it('a relay that was relieved while it was sending marks nothing', async () => {
    const [id = ''] = await appendTo(db.database, 'a');
    const sink = makeSink(running.description);
    const sent = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const outcomes: string[] = [];
    const slow = testRelay(
      db.database,
      {
        ...sink,
        send: async (message, signal) => {
          const result = await sink.send(message, signal);
          sent.resolve();
          await gate.promise;
          return result;
        },
      },
      { name: 'slow', observe: { finished: (_message, _sink, outcome) => outcomes.push(outcome) } },
    );
    await sent.promise;
    const drained = slow.drain();
    const quick = await waitFor('another relay to take over', async () => {
      await expireClaims(db.database);
      return (await claimMessages(db.database, { relay: 'quick' }))[0];
    });
    gate.resolve();
    await drained;
    expect(new Set(outcomes)).toEqual(new Set(['stale']));
    expect(quick.id).toBe(id);
    expect(await outboxRow(db.database, id)).toMatchObject({
      state: 'pending',
      claimed_by: 'quick',
      claim_token: quick.fencingToken,
      published_at: null,
      result: null,
    });
  });

  /** The server may still be ending the transaction of the one that was killed. */
  async function expireOnceFree(id: string): Promise<void> {
    await waitFor('the row to be free', async () => {
      await expireClaims(db.database);
      const { rows } = await db.database.pool.query('select from outbox where outbox_id = $1 for update skip locked', [
        id,
      ]);
      return rows.length === 1;
    });
  }
});
