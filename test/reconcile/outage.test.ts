import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createFakeClock, hourMs } from '../support/stripe-fake/fake-clock.ts';
import { type StripeFake, startStripeFake } from '../support/stripe-fake/start-stripe-fake.ts';
import { waitFor } from '../support/wait-for.ts';
import { startWorkerProcess } from '../worker/worker-process.ts';
import { type MailroomBesideStripe, mailroomBesideStripe } from './mailroom-beside-stripe.ts';
import { type Happened, letHoursPass } from './stripe-history.ts';

interface Sweeps {
  readonly sweeps: readonly {
    readonly endpoint: string;
    readonly account: string | null;
    readonly expected: number;
    readonly had: number;
    readonly missing: number;
  }[];
}

interface Coverage {
  readonly coverage: readonly {
    readonly hour: string;
    readonly endpoint: string;
    readonly eventType: string;
    readonly expected: number;
    readonly received: number;
    readonly late: number;
    readonly injected: number;
  }[];
}

const hours = 12;
const outage = [3, 4, 5, 6, 7, 8];

/** Each test goes on where the one before has stopped: twelve hours, six of them without a webhook. */
describe('an outage of six hours', () => {
  let db: TestDatabase;
  let fake: StripeFake;
  let beside: MailroomBesideStripe;
  let happened: Happened;
  beforeAll(async () => {
    db = await createTestDatabase();
    // Whole, and past what a sweep still leaves to the webhooks.
    const lastHour = Math.floor((Date.now() - 600_000) / hourMs) * hourMs;
    fake = await startStripeFake({ clock: createFakeClock(lastHour - hours * hourMs) });
    beside = await mailroomBesideStripe(db.url, fake);
    happened = await letHoursPass(fake, hours, outage);
    // The fake's hours pass in a moment: what came at once is set to have come then.
    await db.database.pool.query("update webhook_inbox set received_at = provider_time + interval '2 seconds'");
  }, 120_000);
  afterAll(async () => {
    await beside.stop();
    await fake.close();
    await db.drop();
  });

  const ledger = async () => {
    const { rows } = await db.database.pool.query<{
      origin: string;
      endpoint: string;
      account: string | null;
      id: string;
    }>('select origin, endpoint, account, event_id as id from webhook_inbox');
    return rows;
  };

  test('shows in a dry run, which writes nothing', async () => {
    expect(await ledger()).toHaveLength(36);
    const { sweeps } = await beside.mailroomJson<Sweeps>('reconcile', 'events', '--dry-run');
    expect(sweeps).toMatchObject([
      { endpoint: 'billing', account: null, expected: 36, had: 18, missing: 18 },
      { endpoint: 'connect', account: 'acct_shop', expected: 36, had: 18, missing: 18 },
    ]);
    expect(await ledger()).toHaveLength(36);
    for (const table of ['reconcile_cursors', 'reconcile_coverage', 'reconcile_runners', 'operator_actions']) {
      expect((await db.database.pool.query(`select from ${table}`)).rowCount, table).toBe(0);
    }
  });

  test('is healed by one run: every event at the endpoint and under the account that its webhook would have had', async () => {
    const { code, stdout, stderr } = await beside.mailroom('reconcile', 'events', '--reason', 'the outage');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/stripe\/connect +acct_shop .* 36 +18 +18/);
    const expected = happened.events.map(({ event, account, lost }) => ({
      origin: lost ? 'reconcile' : 'webhook',
      endpoint: account === null ? 'billing' : 'connect',
      account,
      id: event.id,
    }));
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    expect((await ledger()).toSorted(byId)).toEqual(expected.toSorted(byId));
    const { rows } = await db.database.pool.query('select actor, action, reason, affected from operator_actions');
    expect(rows).toEqual([{ actor: 'tester', action: 'reconcile_events', reason: 'the outage', affected: '36' }]);
  });

  test('shows in the coverage as a hole and its repair, hour by hour and type by type', async () => {
    const { coverage } = await beside.mailroomJson<Coverage>('coverage', '--endpoint', 'stripe/billing');
    expect(coverage).toHaveLength(hours * 3);
    const byHour = Map.groupBy(coverage, ({ hour }) => hour);
    for (const [index, rows] of [...byHour.values()].entries()) {
      const came = outage.includes(index) ? { received: 0, injected: 1 } : { received: 1, injected: 0 };
      const types = rows.map(({ eventType }) => eventType);
      expect(types).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid']);
      for (const row of rows) expect(row).toMatchObject({ expected: 1, late: 0, ...came });
    }
    const { stdout } = await beside.mailroom('coverage', '--holes', '--endpoint', 'stripe/billing');
    expect(stdout.match(/outage, repaired/g)).toHaveLength(outage.length);
  });

  test('takes effect once: workers handle what came in, and the webhooks that come late after all are duplicates', async () => {
    const worker = await startWorkerProcess(db.url);
    for (const { event, lost } of happened.events) if (lost) fake.sender.resend(event);
    await fake.sender.idle();
    const states = async () =>
      (await db.database.pool.query<{ state: string }>('select distinct state from webhook_inbox')).rows;
    await waitFor(
      'every event to be processed',
      async () => (await states()).every(({ state }) => state === 'processed'),
      {
        deadlineMs: 30_000,
      },
    );
    await worker.stop();
    expect(await ledger()).toHaveLength(happened.events.length);
    const invoices = await db.database.kysely.selectFrom('invoices').select(['invoice_id', 'status']).execute();
    expect(invoices).toHaveLength(hours * 2);
    expect(new Set(invoices.map(({ status }) => status))).toEqual(new Set(['paid']));
    const { rows } = await db.database.pool.query('select count(*)::int as booked from ledger_entries');
    expect(rows).toEqual([{ booked: hours * 2 }]);
    const resent = fake.sender.attempts.slice(-happened.events.filter(({ lost }) => lost).length);
    expect(new Set(resent.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('adds nothing in a second run, whose sweep overlaps the first', async () => {
    const { sweeps } = await beside.mailroomJson<Sweeps>('reconcile', 'events');
    expect(sweeps.map(({ missing }) => missing)).toEqual([0, 0]);
    const all = await beside.mailroomJson<Sweeps>('reconcile', 'events', '--since', '1d');
    expect(all.sweeps).toMatchObject([
      { expected: 36, had: 36, missing: 0 },
      { expected: 36, had: 36, missing: 0 },
    ]);
    expect(await ledger()).toHaveLength(happened.events.length);
  });
});
