import type { Database } from '@mailroom/db';
import { fullJitterMs } from '@mailroom/kernel';

/** How long nobody may call the provider, milliseconds; 0: now. Index: primary key of provider_limits. */
export async function limitedForMs(database: Database, provider: string): Promise<number> {
  const { rows } = await database.pool.query<{ readonly ms: number }>(
    `select extract(epoch from not_before - clock_timestamp())::float8 * 1000 as ms from provider_limits where provider = $1`,
    [provider],
  );
  return Math.max(0, Math.ceil(rows[0]?.ms ?? 0));
}

/**
 * Makes every worker wait: as long as the provider asked for, else longer with each refusal in a row. Never shortens what
 * somebody else wrote. Answers how long.
 */
export async function limitProvider(
  database: Database,
  provider: string,
  { reason, retryAfterMs }: { readonly reason: string; readonly retryAfterMs: number | null },
): Promise<number> {
  const { rows } = await database.pool.query<{ readonly hits: number }>(
    `select hits from provider_limits where provider = $1 and limited_at > now() - interval '2 minutes'`,
    [provider],
  );
  const hits = (rows[0]?.hits ?? 0) + 1;
  const delayMs = retryAfterMs ?? pauseMs.least + fullJitterMs({ baseMs: pauseMs.least, capMs: pauseMs.most }, hits);
  await database.pool.query(
    `insert into provider_limits as l (provider, not_before, reason, hits)
    values ($1, clock_timestamp() + $2::float8 * interval '1 ms', $3, $4)
    on conflict (provider) do update set not_before = greatest(l.not_before, excluded.not_before), reason = excluded.reason,
      hits = excluded.hits, limited_at = excluded.limited_at`,
    [provider, delayMs, reason.slice(0, 2_000), hits],
  );
  return delayMs;
}

/** So that not everybody who waited calls in the same moment. */
export function afterLimitMs(limitMs: number): number {
  return limitMs + Math.floor(Math.random() * 1_000);
}

// Stripe counts by the second, so a pause below one changes nothing; a minute lets anything pass.
const pauseMs = { least: 1_000, most: 60_000 } as const;
