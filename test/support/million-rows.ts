import type { Database } from '@mailroom/db';

/** What a ledger that has run for years holds, by the prefix of the event ids. */
const millionRows = {
  done: 600_000,
  due: 200_000,
  later: 100_000,
  held: 50_000,
  unknown: 30_000,
  stuck: 20_000,
} as const;

/** Bodies of the oldest of `done`. */
const bodies = 200_000;
const published = 300_000;

/**
 * Fills a ledger with a million events of stripe/billing, the oldest of them finished 200 days ago, bodies of the oldest, and an outbox
 * of messages that have left; then lets vacuum and the statistics catch up, as autovacuum does. By SQL alone, and with the indexes made
 * afterwards, so that it takes seconds.
 */
export async function fillMillionRows({ pool }: Database): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`set synchronous_commit = off; set maintenance_work_mem = '128MB'`);
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
       from pg_index where indrelid = 'webhook_inbox'::regclass and not indisprimary`,
    );
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    // In key order, which the primary key takes fastest.
    await client.query(insertEvents('done', `n * interval '28 s'`, "'processed', null, null, 1"));
    await client.query(insertEvents('due', `interval '200 days'`, "'pending', null, null, 0"));
    await client.query(insertEvents('held', `interval '200 days'`, "'held', 'paused', 'pause:1', 0"));
    await client.query(insertEvents('later', `interval '201 days'`, "'pending', null, null, 0"));
    await client.query(insertEvents('stuck', `interval '200 days'`, "'exhausted', 'attempts used up', null, 3"));
    await client.query(insertEvents('unknown', `interval '200 days'`, "'parked', null, null, 0"));
    for (const { definition } of indexes) await client.query(definition);
    await client.query(
      `insert into webhook_delivery (delivery_id, provider, endpoint, received_at, body)
       select ${deliveryId('done')}, 'stripe', 'billing', ${start} + n * interval '28 s', '{}' from generate_series(1, ${bodies}) n`,
    );
    await client.query(
      `insert into outbox (topic, aggregate, payload, state, created_at, published_at, claim_token)
       select 'thing.happened', 'done:' || n % 1000, '{}', 'published', ${start} + n * interval '28 s', ${start} + n * interval '28 s', 1
       from generate_series(1, ${published}) n`,
    );
    await client.query('vacuum (analyze) webhook_inbox, webhook_delivery, outbox');
  } finally {
    client.release();
  }
}

const start = `(now() - interval '200 days')`;

/** Version 7, in the order of time, as the receiver makes them. */
function deliveryId(prefix: keyof typeof millionRows): string {
  const ms = `((extract(epoch from ${start}) * 1000)::bigint + n::bigint * 28000)`;
  const hex = `lpad(to_hex(${ms}), 12, '0')`;
  const kind = Object.keys(millionRows).indexOf(prefix);
  return `(left(${hex}, 8) || '-' || right(${hex}, 4) || '-7000-8${kind}00-' || lpad(to_hex(n), 12, '0'))::uuid`;
}

function insertEvents(prefix: keyof typeof millionRows, after: string, state: string): string {
  const done = prefix === 'done';
  return `insert into webhook_inbox (provider, endpoint, event_id, delivery_id, event_type, max_attempts, received_at, available_at,
      processed_at, state, state_reason, held_by, attempts, total_attempts)
    select 'stripe', 'billing', '${prefix}_' || lpad(n::text, 6, '0'), ${deliveryId(prefix)},
      ${prefix === 'unknown' ? "'nobody.knows'" : "'seeded'"}, 3, ${start} + ${after}, ${start} + ${after}, ${done ? `${start} + ${after}` : 'null'},
      s.state, s.state_reason, s.held_by, s.attempts, s.attempts
    from generate_series(1, ${millionRows[prefix]}) n, (select ${state}) as s (state, state_reason, held_by, attempts)`;
}
