import type pg from 'pg';
import { benchEventType, benchProvider } from '../bench-event.ts';

/** Finished events of long ago with bodies of 2.4 KB, in the order in which a year of deliveries would lie. */
export async function fillFinished(pool: pg.Pool, count: number): Promise<void> {
  for (let from = 0; from < count; from += chunk) {
    await pool.query(
      `with events as materialized (
        select n, 'evt_old_' || lpad(n::text, 9, '0') as event_id, now() - interval '200 days' + n * interval '1 ms' as at,
          (overlay(lpad(to_hex((extract(epoch from now() - interval '200 days') * 1000)::bigint + n), 12, '0') placing '-' from 9 for 0)
            || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as delivery_id
        from generate_series($1::int, $2::int) as n
      ), bodies as (
        insert into webhook_delivery (delivery_id, provider, endpoint, content_type, received_at, body)
        select delivery_id, '${benchProvider}', 'old', 'application/json', at, convert_to(repeat(md5(n::text), 75), 'UTF8')
        from events
      )
      insert into webhook_inbox (provider, endpoint, event_id, delivery_id, event_type, max_attempts, state, attempts, total_attempts,
        received_at, available_at, processed_at)
      select '${benchProvider}', 'old', event_id, delivery_id, '${benchEventType}', 25, 'processed', 1, 1, at, at, at from events`,
      [from, Math.min(from + chunk, count) - 1],
    );
  }
  await pool.query('vacuum (analyze) webhook_inbox, webhook_delivery');
  await pool.query('checkpoint');
}

const chunk = 100_000;
