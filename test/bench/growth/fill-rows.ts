import type pg from 'pg';
import { benchEndpoint, benchEventType, benchProvider } from '../bench-event.ts';

/** Adds events with small bodies by SQL alone, for amounts that would take an ingestor many minutes. */
export async function fillRows(
  pool: pg.Pool,
  { from, count, state }: { readonly from: number; readonly count: number; readonly state: 'pending' | 'processed' },
): Promise<void> {
  for (let at = from; at < from + count; at += chunk) {
    const to = Math.min(at + chunk, from + count) - 1;
    await pool.query(
      `with events as materialized (
        select n, gen_random_uuid() as delivery_id, lpad(n::text, 9, '0') as name, now() - ($4::int - n) * interval '1 ms' as due
        from generate_series($1::int, $2::int) as n
      ), bodies as (
        insert into webhook_delivery (delivery_id, provider, endpoint, content_type, body)
        select delivery_id, '${benchProvider}', '${benchEndpoint}', 'application/json', convert_to('{"id":"evt_bench_' || name || '"}', 'UTF8')
        from events
      )
      insert into webhook_inbox (provider, endpoint, event_id, delivery_id, event_type, object_key, max_attempts, state,
        available_at, received_at, attempts, total_attempts, processed_at)
      select '${benchProvider}', '${benchEndpoint}', 'evt_bench_' || name, delivery_id, '${benchEventType}', 'invoice/in_bench_' || name,
        25, $3, due, due, case when $3 = 'processed' then 1 else 0 end, case when $3 = 'processed' then 1 else 0 end,
        case when $3 = 'processed' then now() end
      from events`,
      [at, to, state, from + count],
    );
  }
  await pool.query('vacuum (analyze) webhook_inbox, webhook_delivery');
  await pool.query('checkpoint');
}

/** Bytes on disk with indexes and free space, a row. */
export async function bytesPerEvent(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `select (pg_total_relation_size('webhook_inbox') + pg_total_relation_size('webhook_delivery'))::float8
       / nullif((select count(*) from webhook_inbox), 0) as bytes`,
  );
  return Number(rows[0]?.bytes);
}

const chunk = 250_000;
