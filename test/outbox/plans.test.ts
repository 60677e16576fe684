import { inTransaction } from '@mailroom/db';
import { appendMany, createOutboxClaimer, outboxStats, retryMessages, skipMessages } from '@mailroom/outbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { explainedDatabase } from '../support/explained-database.ts';
import { appendTo, claimMessages, notingSink, outboxRow, testRelay } from '../support/outbox-fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

// Enough that a sequential scan is the wrong plan by far.
const published = 200_000;
const waiting = 100_000;

describe('the statements of the outbox, beside 200,000 published messages and 100,000 behind a stuck one', () => {
  let db: TestDatabase;
  let explained: ReturnType<typeof explainedDatabase>;
  let stuck: string;
  beforeAll(async () => {
    db = await createTestDatabase();
    await db.database.pool.query(
      `insert into outbox (topic, aggregate, payload, state, published_at, claim_token)
       select 'thing.happened', 'done:' || n % 1000, '{}', 'published', now(), 1 from generate_series(1, $1::int) n`,
      [published],
    );
    stuck = await insertStuck();
    await db.database.pool.query('vacuum analyze outbox');
    explained = explainedDatabase(db.database);
  });
  afterAll(() => db.drop());

  it('claim walks the index of what is due, and sets aside in a few claims what waits', async () => {
    const claimer = createOutboxClaimer(explained.database, { relay: 'r1', leaseMs: 60_000, maxAttempts: 5 });
    let claims = 0;
    for (let more = true; more; claims += 1) {
      const claim = await claimer.claim(16);
      expect(claim.messages).toEqual([]);
      more = claim.more;
    }
    expect(claims).toBeLessThan(60);
    const { rows } = await db.database.pool.query("select count(*)::int as held from outbox where state = 'held'");
    expect(rows).toEqual([{ held: waiting }]);
    for (const { plan } of explained.statements)
      expectIndexed(plan, 'outbox_due', 'outbox_of_aggregate', 'outbox_pkey');
  });

  it('a claim beside them examines what is new and nothing else', async () => {
    await db.database.pool.query('vacuum analyze outbox');
    const ids = await appendTo(db.database, 'new:1', 'new:1', 'new:2');
    explained.statements.length = 0;
    const claimer = createOutboxClaimer(explained.database, { relay: 'r1', leaseMs: 60_000, maxAttempts: 5 });
    const { messages, more } = await claimer.claim(16);
    expect(messages.map(({ id }) => id)).toEqual(ids);
    expect(more).toBe(false);
    expectIndexed(explained.statements[0]?.plan ?? '', 'outbox_due', 'outbox_of_aggregate', 'outbox_pkey');
    const { rows } = await db.database.pool.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, costs off, timing off, summary off) select outbox_id from outbox
       where state = 'pending' and available_at <= now() and (claimed_until is null or claimed_until <= now())
       order by available_at, outbox_id limit 4000`,
    );
    const text = rows.map((row) => row['QUERY PLAN']).join('\n');
    const stepped = Number(/Rows Removed by Filter: (\d+)/.exec(text)?.[1] ?? 0);
    // What is in flight is stepped over; the 100,000 are not in the index at all.
    expect(stepped).toBe(3);
  });

  it('completion, failure and release go by keys', async () => {
    await appendTo(db.database, 'one', 'one', 'two', 'three');
    explained.statements.length = 0;
    const sink = notingSink(({ aggregate }) =>
      aggregate === 'two' ? { outcome: 'permanent', reason: 'no' } : { outcome: 'sent' },
    );
    const relay = testRelay(explained.database, sink);
    await waitFor('the four to end', async () => {
      const { rows } = await db.database.pool.query(
        "select from outbox where aggregate in ('one', 'two', 'three') and (state = 'published' or state = 'needs_review')",
      );
      return rows.length === 4;
    });
    await relay.drain();
    const updates = explained.statements.filter(({ text }) => /update outbox o\s+set state/.test(text));
    expect(updates.map(({ text }) => /state = ('pending'|'published'|n\.state)/.exec(text)?.[1])).toEqual(
      expect.arrayContaining(["'published'", 'n.state', "'pending'"]),
    );
    for (const { plan } of updates) expectIndexed(plan, 'outbox_pkey');
  });

  it('an operator who skips the stuck one lets the next go at once', async () => {
    await skipMessages(db.database, { ids: [stuck], actor: 'alice', reason: 'done by hand' });
    const [next] = await claimMessages(db.database, { limit: 1 });
    expect(BigInt(next?.id ?? 0)).toBe(BigInt(stuck) + 1n);
    expect(await retryMessages(db.database, { ids: [stuck, next?.id ?? ''], actor: 'alice', reason: 'oops' })).toEqual([
      { id: stuck, outcome: 'skipped' },
      { id: next?.id, outcome: 'claimed' },
    ]);
    expect((await outboxRow(db.database, stuck)).state).toBe('skipped');
  });

  it('counts cost no more than what has not left', async () => {
    explained.statements.length = 0;
    const { byState } = await outboxStats(explained.database);
    expect(byState).toMatchObject({ needs_review: 1, unrouted: 0 });
    for (const { plan } of explained.statements) expect(plan).not.toContain('Seq Scan on outbox');
  });

  async function insertStuck(): Promise<string> {
    const [head] = await inTransaction(db.database, (tx) =>
      appendMany(tx, [{ topic: 'thing.happened', aggregate: 'stuck', payload: 0 }]),
    );
    if (head === undefined) throw new Error('nothing was appended');
    await db.database.pool.query("update outbox set state = 'needs_review', last_error = 'no' where outbox_id = $1", [
      head,
    ]);
    await db.database.pool.query(
      `insert into outbox (topic, aggregate, payload)
       select 'thing.happened', 'stuck', to_jsonb(n) from generate_series(1, $1::int) n`,
      [waiting],
    );
    return head;
  }
});

function expectIndexed(plan: string, ...indexes: readonly string[]): void {
  for (const index of indexes) expect(plan).toContain(index);
  expect(plan).not.toContain('Seq Scan on outbox');
}
