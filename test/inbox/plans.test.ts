import type { Database } from '@mailroom/db';
import {
  giveBack,
  inboxStats,
  processEvent,
  rearm,
  receiveAndProcess,
  renew,
  retentionRules,
  retryEvents,
} from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { createOutboxClaimer } from '@mailroom/outbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pruneBatch } from '../../packages/inbox/src/sql/prune.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type ExplainedStatement, explainedDatabase } from '../support/explained-database.ts';
import { claim, delivery, processOptions, testReceiver } from '../support/inbox-fixtures.ts';
import { fillMillionRows } from '../support/million-rows.ts';
import { appendTo } from '../support/outbox-fixtures.ts';

/** Of the tables that are large. */
const indexOf: Readonly<Record<string, string>> = {
  webhook_delivery: 'using webhook_delivery_pkey',
  webhook_inbox: 'using webhook_inbox_finished',
  outbox: 'using outbox_pkey',
};

/** Pages that a statement may look at beside a million events; what it needs, and room for a tree one level higher. */
const few = {
  /** By key: a handful of index pages and one of the table, for each index of the row. */
  aRow: 150,
  /** Fifty rows found, leased and written back. */
  aClaim: 3_000,
  /** Five hundred rows walked, locked and deleted. */
  aPruneBatch: 12_000,
  /** Counting up to 100,000 of each state: the finished ones by the table, the others by their indexes. */
  stats: 25_000,
} as const;

describe('hot statements beside a million events', () => {
  let db: TestDatabase;
  let explained: ReturnType<typeof explainedDatabase>;
  beforeAll(async () => {
    db = await createTestDatabase();
    await fillMillionRows(db.database);
    explained = explainedDatabase(db.database, { measured: true });
  }, 300_000);
  afterAll(() => db.drop());

  it('claim walks the index of what is due and touches nothing else', async () => {
    const [list, plan] = await plansOf(few.aClaim, () =>
      claim(explained.database, { limit: 50, worker: 'w1', leaseMs: 60_000 }),
    );
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
    const [receipt, bodies] = await plansOf(few.aRow, () => receiver.receive(delivery('due_000001')));
    await receiver.close();
    expect(receipt).toContain('Conflict Arbiter Indexes: webhook_inbox_pkey');
    expect(receipt).not.toMatch(/(Scan|using) (on )?webhook_/);
    expect(bodies).toContain('using webhook_inbox_pkey');
    expect(bodies).not.toContain('Seq Scan on webhook_inbox');
  });

  it('lock and complete go by the primary key', async () => {
    const [claimed] = await claim(db.database, { limit: 1, worker: 'w1', leaseMs: 60_000 });
    if (!claimed) throw new Error('nothing was due');
    const plans = await plansOf(few.aRow, () =>
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
    const plans = await plansOf(few.aRow, () =>
      receiveAndProcess(explained.database, delivery('due_150000'), [handler]),
    );
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
      ...(await plansOf(few.aClaim, () => renew(explained.database, claimed, 60_000))),
      ...(await plansOf(few.aClaim, () => giveBack(explained.database, claimed.slice(1)))),
      ...(await plansOf(few.aRow, () =>
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
    const [plan] = await plansOf(few.aClaim * 2, () =>
      rearm(explained.database, [{ provider: 'stripe', eventType: 'seeded' }], 100),
    );
    expect(plan).toContain('webhook_inbox_parked');
    expect(plan).not.toContain('Seq Scan on webhook_inbox');
  });

  it('a claim that finds dead leases gives them their outcome by the same indexes', async () => {
    await claim(db.database, { limit: 50, worker: 'dead', leaseMs: 60_000 });
    await db.database.pool.query(
      `update webhook_inbox set leased_until = now() - interval '1 s' where leased_by = 'dead'`,
    );
    const [, plan] = await plansOf(few.aClaim, () =>
      claim(explained.database, { limit: 50, worker: 'w1', leaseMs: 60_000 }),
    );
    expect(plan).toContain('Index Scan using webhook_inbox_due');
    expect(plan).not.toContain('Seq Scan on webhook_inbox');
    const { rows } = await db.database.pool.query('select count(*)::int as n from webhook_inbox where suspect');
    expect(rows).toEqual([{ n: 50 }]);
  });

  it.each(retentionRules.map((rule) => [rule.table, rule] as const))(
    'pruning %s walks an index and no further than its batch',
    async (table, rule) => {
      const keptFor = new Date(Date.now() - (table === 'webhook_inbox' ? 90 : 30) * 86_400_000);
      const step = { oldBefore: keptFor, limit: 500, dryRun: false };
      let after: readonly string[] | null = null;
      let gone = 0;
      for (let batch = 0; batch < 3; batch += 1) {
        const cursor: readonly string[] | null = after;
        const plans = await plansOf(few.aPruneBatch, async () => {
          const pruned = await pruneBatch(explained.database, rule, { ...step, after: cursor });
          after = pruned.last;
          gone += pruned.gone;
        });
        for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on (webhook_|outbox)/);
        expect(plans[0]).toContain(indexOf[table] ?? '');
      }
      expect(gone).toBeGreaterThanOrEqual(indexOf[table] ? 1_490 : 0);
    },
  );

  it('a claim of the outbox beside many published messages looks at what is due', async () => {
    await appendTo(db.database, 'new:1', 'new:1', 'new:2');
    const claimer = createOutboxClaimer(explained.database, { relay: 'r1', leaseMs: 60_000, maxAttempts: 5 });
    const [plan] = await plansOf(few.aClaim, async () => {
      expect((await claimer.claim(16)).messages).toHaveLength(3);
    });
    expect(plan).toContain('outbox_due');
    expect(plan).not.toContain('Seq Scan on outbox');
  });

  it('counts of states go by their indexes and stop at their limit', async () => {
    const [plan] = await plansOf(few.stats, () => inboxStats(explained.database));
    expect(plan).toContain('using webhook_inbox_due');
    expect(plan).toContain('using webhook_inbox_attention');
    expect(plan).toContain('using webhook_inbox_finished');
    expect(plan).not.toContain('Seq Scan on webhook_inbox');
  });

  it('retry goes by the primary key', async () => {
    // Statements inside a function show no plan; one connection, so that its own counters can be asked.
    const one = db.open({ maxConnections: 1 });
    const key = { provider: 'stripe', endpoint: 'billing', eventId: 'due_000007' };
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

  /** The plans of what `work` does; none of its statements may touch more pages than that. */
  async function plansOf(atMostPages: number, work: () => Promise<unknown>): Promise<string[]> {
    const from = explained.statements.length;
    await work();
    const seen: ExplainedStatement[] = explained.statements.slice(from);
    if (seen.length === 0) throw new Error('no statement was seen');
    for (const { text, pages } of seen) {
      expect(pages, text).toBeGreaterThanOrEqual(0);
      expect(pages, text).toBeLessThanOrEqual(atMostPages);
    }
    return seen.map(({ plan }) => plan);
  }
});
