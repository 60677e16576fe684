import { asOnlyRunner } from '@mailroom/reconcile';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { delivery, incomingEvent, testReceiver } from '../support/inbox-fixtures.ts';
import { hasPgbouncer, startPgbouncer } from '../support/pgbouncer.ts';
import { createFakeClock, hourMs } from '../support/stripe-fake/fake-clock.ts';
import { type StripeFake, startStripeFake } from '../support/stripe-fake/start-stripe-fake.ts';
import { emptyReconciliation, sourcesAt, sweep } from './sweep-setup.ts';

let db: TestDatabase;
let fake: StripeFake;
// Whole, and past what a sweep still leaves to the webhooks.
const lastHour = Math.floor((Date.now() - 600_000) / hourMs) * hourMs;
beforeAll(async () => void (db = await createTestDatabase()));
beforeEach(async () => {
  await emptyReconciliation(db.database);
  fake = await startStripeFake({ clock: createFakeClock(lastHour - 24 * hourMs) });
});
afterEach(() => fake.close());
afterAll(() => db.drop());

/** `perHour` events in each of the hours before the last one. */
function emit(perHour: number, hours: number, type = 'invoice.paid') {
  for (let at = 0; at < perHour * hours; at += 1) {
    const created = Math.floor((lastHour - hours * hourMs + (at * hourMs) / perHour) / 1000);
    fake.account().emit(type, { id: `in_${at}`, object: 'invoice' }, { id: `evt_${type}_${at}`, created });
  }
}

async function ledger() {
  const { rows } = await db.database.pool.query<{ id: string; origin: string }>(
    'select event_id as id, origin from webhook_inbox',
  );
  return rows;
}

async function cursor(): Promise<Date | undefined> {
  const { rows } = await db.database.pool.query<{ at: Date }>('select swept_until as at from reconcile_cursors');
  return rows[0]?.at;
}

describe('a sweep', () => {
  test('that is cut off goes on where it stopped, and coverage is whole in the end', async () => {
    emit(150, 4);
    const [source] = await sourcesAt(fake, 'stripe');
    if (!source) throw new Error('no source');
    const since = new Date(lastHour - 4 * hourMs);
    // The second stretch fails on its second page: what the first page held is in, the cursor is not past it.
    fake.faults.next({ on: 'GET /v1/events', until: Promise.resolve(), times: 3 });
    fake.faults.next({ on: 'GET /v1/events', answer: 403, code: 'account_invalid' });
    await expect(sweep(db.database, source, { since })).rejects.toMatchObject({ code: 'provider_refused' });
    const cutOffAt = await cursor();
    expect(cutOffAt).toEqual(new Date(since.getTime() + hourMs));
    const before = (await ledger()).length;
    expect(before).toBeGreaterThan(150);
    expect(before).toBeLessThan(600);

    const { expected, missing, window } = await sweep(db.database, source);
    expect(window.since).toEqual(since);
    expect({ expected, missing }).toEqual({ expected: 600, missing: 600 - before });
    expect(await ledger()).toHaveLength(600);
    const { rows } = await db.database.pool.query('select expected, injected from reconcile_coverage');
    expect(rows).toEqual(Array.from({ length: 4 }, () => ({ expected: 150, injected: 150 })));
  });

  test('stops in order when told to, and says so', async () => {
    emit(1, 12);
    const [source] = await sourcesAt(fake, 'stripe');
    if (!source) throw new Error('no source');
    const stop = new AbortController();
    const since = new Date(lastHour - 12 * hourMs);
    const first = await sweep(db.database, source, { since, signal: stop.signal, onPage: () => stop.abort() });
    expect(first.stopped).toBe(true);
    expect((await ledger()).length).toBeLessThan(12);
    await sweep(db.database, source);
    expect(await ledger()).toHaveLength(12);
    expect((await db.database.pool.query('select from reconcile_runners')).rowCount).toBe(0);
  });

  test('tells what came by webhook late from what came in time', async () => {
    emit(3, 1);
    const receiver = testReceiver(db.database);
    for (const at of [0, 1]) {
      const id = `evt_invoice.paid_${at}`;
      await receiver.receive(delivery(id, { endpoint: 'main', events: [incomingEvent(id)] }));
    }
    await receiver.close();
    await db.database.pool.query(
      "update webhook_inbox set received_at = to_timestamp($1::float8 / 1000) + interval '1 second' where event_id like '%_0'",
      [lastHour - hourMs],
    );
    const [source] = await sourcesAt(fake, 'stripe');
    if (!source) throw new Error('no source');
    await sweep(db.database, source, { since: new Date(lastHour - hourMs) });
    const { rows } = await db.database.pool.query('select expected, received, late, injected from reconcile_coverage');
    expect(rows).toEqual([{ expected: 3, received: 1, late: 1, injected: 1 }]);
  });

  test('asks for the types of the endpoint only, by name or by their beginning', async () => {
    emit(2, 1, 'invoice.paid');
    emit(2, 1, 'charge.refunded');
    emit(2, 1, 'payout.paid');
    const since = new Date(lastHour - hourMs);
    const swept = async (types: readonly string[]) => {
      const [source] = await sourcesAt(fake, 'stripe', { types });
      if (!source) throw new Error('no source');
      return (await sweep(db.database, source, { since })).missingByType;
    };
    expect(await swept(['payout.paid'])).toEqual({ 'payout.paid': 2 });
    expect(await swept(['invoice.*', 'charge.dispute.*'])).toEqual({ 'invoice.paid': 2 });
  });

  test('waits as long as Stripe says when it asks too often', async () => {
    emit(1, 1);
    const [source] = await sourcesAt(fake, 'stripe');
    if (!source) throw new Error('no source');
    fake.faults.next({ on: 'GET /v1/events', answer: 429, headers: { 'retry-after': '0' }, times: 3 });
    await sweep(db.database, source, { since: new Date(lastHour - hourMs) });
    expect(await ledger()).toHaveLength(1);
    expect(fake.calls.filter(({ status }) => status === 429)).toHaveLength(3);
  });

  test('has a cursor for each connected account, and one that refuses says which', async () => {
    for (const account of ['acct_1', 'acct_2']) {
      fake
        .account(account)
        .emit('invoice.paid', { id: 'in_1', object: 'invoice' }, { created: (lastHour - hourMs) / 1000 });
    }
    const sources = await sourcesAt(fake, 'stripe', { accounts: 'all' });
    expect(new Set(sources.map(({ account }) => account))).toEqual(new Set([null, 'acct_1', 'acct_2']));
    for (const source of sources) await sweep(db.database, source);
    const { rows } = await db.database.pool.query(
      'select account, object_key as key from webhook_inbox order by account',
    );
    expect(rows).toEqual(['acct_1', 'acct_2'].map((account) => ({ account, key: `${account}/invoice/in_1` })));
    expect((await db.database.pool.query('select from reconcile_cursors')).rowCount).toBe(3);
  });
});

describe('one runner at a time', () => {
  const request = { task: 'reconcile', leaseMs: 60_000 };

  test('a second one does nothing and learns who is at it', async () => {
    const outcome = await asOnlyRunner(db.database, { ...request, holder: 'first' }, () =>
      asOnlyRunner(db.database, { ...request, holder: 'second' }, () => Promise.reject(new Error('it ran'))),
    );
    expect(outcome).toMatchObject({ outcome: 'ran', result: { outcome: 'busy', holder: 'first' } });
    expect(await asOnlyRunner(db.database, { ...request, holder: 'third' }, async () => 'ran')).toMatchObject({
      result: 'ran',
    });
  });

  test.skipIf(!hasPgbouncer())('works through PgBouncer in transaction mode (skipped without pgbouncer)', async () => {
    emit(1, 3);
    const bouncer = await startPgbouncer(db.url, { serverConnections: 2 });
    const [one, other] = [db.open({ url: bouncer.url }), db.open({ url: bouncer.url })];
    try {
      const [source] = await sourcesAt(fake, 'stripe');
      if (!source) throw new Error('no source');
      const seen: string[] = [];
      const watched = {
        ...source,
        async *list(window: Parameters<typeof source.list>[0]) {
          const rival = await asOnlyRunner(other, { ...request, holder: 'rival' }, async () => 'ran');
          seen.push(rival.outcome);
          yield* source.list(window);
        },
      };
      await sweep(one, watched, { since: new Date(lastHour - 3 * hourMs) });
      expect(new Set(seen)).toEqual(new Set(['busy']));
      expect(await ledger()).toHaveLength(3);
    } finally {
      await Promise.all([one.close(), other.close()]);
      await bouncer.stop();
    }
  });

  test('one whose lease has run out commits nothing more, and does not end the lease of the next', async () => {
    emit(1, 1);
    const [source] = await sourcesAt(fake, 'stripe');
    if (!source) throw new Error('no source');
    const takeOver = () =>
      db.database.pool.query("update reconcile_runners set holder = 'next', token = gen_random_uuid()");
    const stolen = {
      ...source,
      async *list(window: Parameters<typeof source.list>[0]) {
        yield* source.list(window);
        await takeOver();
      },
    };
    await expect(sweep(db.database, stolen, { since: new Date(lastHour - hourMs) })).rejects.toMatchObject({
      code: 'lease_lost',
    });
    expect(await cursor()).toBeUndefined();
    expect((await db.database.pool.query('select holder from reconcile_runners')).rows).toEqual([{ holder: 'next' }]);
    // What it had let in is there, and the next one finds it.
    expect(await ledger()).toHaveLength(1);
  });
});
