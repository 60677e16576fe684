import type { Database } from '@mailroom/db';
import { giveBack, inboxStats, processEvent, rearm, receiveAndProcess, renew, retryEvents } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type ExplainedStatement, explainedDatabase } from '../support/explained-database.ts';
import { claim, delivery, processOptions, testReceiver } from '../support/inbox-fixtures.ts';

// Enough that a sequential scan is the wrong plan by far; the bench looks at millions.
const processed = 60_000;
const pending = 20_000;
const waiting = 20_000;
const parked = 5_000;

describe('hot statements', () => {
  let db: TestDatabase;
  let explained: ReturnType<typeof explainedDatabase>;
  beforeAll(async () => {
    db = await createTestDatabase();
    await seed('done', processed, "'processed', now(), now()");
    await seed('due', pending, "'pending', null, now()");
    await seed('later', waiting, "'pending', null, now() + interval '1 day'");
    await seed('unknown', parked, "'parked', null, now()");
    await db.database.pool.query("update webhook_inbox set event_type = 'nobody.knows' where state = 'parked'");
    await db.database.pool.query('vacuum analyze');
    explained = explainedDatabase(db.database);
  });
  afterAll(() => db.drop());

  it('claim walks the index of what is due and touches nothing else', async () => {
    const [list, plan] = await plansOf(() => claim(explained.database, { limit: 50, worker: 'w1', leaseMs: 60_000 }));
    expect(list).toContain('using webhook_inbox_due');
    expect(plan).toContain('Index Scan using webhook_inbox_due');
    expect(plan).toContain('Index Scan using webhook_inbox_pkey');
    for (const one of [list, plan]) {
      expect(one).not.toContain('Seq Scan on webhook_inbox');
      expect(one).not.toMatch(/Sort\b/);
    }
  });

  it('receive scans no table, so that its plan may be kept, and finds the bodies of known keys by the primary keys', async () => {
    const receiver = testReceiver(explained.database);
    const [receipt, bodies] = await plansOf(() => receiver.receive(delivery('due_1')));
    await receiver.close();
    expect(receipt).toContain('Conflict Arbiter Indexes: webhook_inbox_pkey');
    expect(receipt).not.toMatch(/(Scan|using) (on )?webhook_/);
    expect(bodies).toContain('using webhook_inbox_pkey');
    expect(bodies).not.toContain('Seq Scan on webhook_inbox');
  });

  it('lock and complete go by the primary key', async () => {
    const [claimed] = await claim(db.database, { limit: 1, worker: 'w1', leaseMs: 60_000 });
    if (!claimed) throw new Error('nothing was due');
    const plans = await plansOf(() =>
      processEvent(claimed, () => Promise.resolve(done), processOptions(explained.database)),
    );
    expect(plans).toHaveLength(2);
    for (const plan of plans) {
      expect(plan).toContain('using webhook_inbox_pkey');
      expect(plan).not.toContain('Seq Scan on webhook_inbox');
    }
  });

  it('the synchronous shape receives, locks and finishes by the primary key', async () => {
    const handler = { provider: 'stripe', eventType: 'test.event', handle: () => Promise.resolve(done) };
    const plans = await plansOf(() => receiveAndProcess(explained.database, delivery('due_9'), [handler]));
    const ledger = plans.filter((plan) => plan.includes('webhook_inbox'));
    expect(ledger).toHaveLength(4);
    const [receipt, ...others] = ledger;
    expect(receipt).toContain('Conflict Arbiter Indexes: webhook_inbox_pkey');
    for (const plan of others) {
      expect(plan).toContain('using webhook_inbox_pkey');
      expect(plan).not.toContain('Seq Scan on webhook_inbox');
    }
  });

  it('settle, renew and return go by the primary key', async () => {
    const claimed = await claim(db.database, { limit: 20, worker: 'w1', leaseMs: 60_000 });
    const [first] = claimed;
    if (!first) throw new Error('nothing was due');
    const plans = [
      ...(await plansOf(() => renew(explained.database, claimed, 60_000))),
      ...(await plansOf(() => giveBack(explained.database, claimed.slice(1)))),
      ...(await plansOf(() =>
        processEvent(first, () => Promise.reject(new Error('no')), {
          ...processOptions(db.database),
          control: explained.database,
        }),
      )),
    ];
    expect(plans).toHaveLength(3);
    for (const plan of plans) {
      expect(plan).toContain('using webhook_inbox_pkey');
      expect(plan).not.toContain('Seq Scan on webhook_inbox');
    }
  });

  it('re-arming looks at parked rows only', async () => {
    const [plan] = await plansOf(() => rearm(explained.database, [{ provider: 'stripe', eventType: 'seeded' }], 100));
    expect(plan).toContain('webhook_inbox_parked');
    expect(plan).not.toContain('Seq Scan on webhook_inbox');
  });

  it('counts of unfinished states go by their indexes', async () => {
    const [plan] = await plansOf(() => inboxStats(explained.database));
    expect(plan).toContain('using webhook_inbox_due');
    expect(plan).toContain('using webhook_inbox_attention');
  });

  it('retry goes by the primary key', async () => {
    // Statements inside a function show no plan; one connection, so that its own counters can be asked.
    const one = db.open({ maxConnections: 1 });
    const key = { provider: 'stripe', endpoint: 'billing', eventId: 'due_7' };
    const before = await sequentialScans(one);
    await retryEvents(one, { keys: [key], actor: 'a', reason: 'r' });
    expect(await sequentialScans(one)).toBe(before);
    await one.pool.query("select count(*) from webhook_inbox where last_error = 'no index helps here'");
    expect(await sequentialScans(one)).toBeGreaterThan(before);
  });

  async function sequentialScans({ pool }: Database): Promise<number> {
    await pool.query('select pg_stat_force_next_flush()');
    await pool.query('select pg_stat_clear_snapshot()');
    const { rows } = await pool.query<{ scans: number }>(
      "select seq_scan::int as scans from pg_stat_user_tables where relname = 'webhook_inbox'",
    );
    return rows[0]?.scans ?? -1;
  }

  async function plansOf(work: () => Promise<unknown>): Promise<string[]> {
    const from = explained.statements.length;
    await work();
    const seen: ExplainedStatement[] = explained.statements.slice(from);
    if (seen.length === 0) throw new Error('no statement was seen');
    return seen.map(({ plan }) => plan);
  }

  async function seed(prefix: string, rows: number, values: string): Promise<void> {
    await db.database.pool.query(
      `insert into webhook_inbox
         (provider, endpoint, event_id, delivery_id, event_type, max_attempts, state, processed_at, available_at)
       select 'stripe', 'billing', $1 || n, gen_random_uuid(), 'seeded', 3, ${values} from generate_series(1, $2::int) n`,
      [`${prefix}_`, rows],
    );
  }
});
