import type { Database } from '@mailroom/db';

/** A piece of work that one process at a time does for all, by a lease in `housekeeping`. */
export interface Chore {
  readonly name: string;
  /** Who does it, for people: host, process id. */
  readonly holder: string;
  readonly leaseMs: number;
  /** It is done again so long after it was last done to its end. */
  readonly everyMs: number;
}

/**
 * Takes a chore that is due and that nobody has. One statement, committed by itself, so it works through a pooler in transaction mode;
 * whoever dies with it loses it with the lease. Answers whether it is ours now.
 */
export async function takeChore(database: Database, chore: Chore): Promise<boolean> {
  const { rowCount } = await database.pool.query(
    `insert into housekeeping as h (chore, held_by, held_until, begun_at)
     values ($1, $2, now() + $3::float8 * interval '1 ms', now())
     on conflict (chore) do update
     set held_by = excluded.held_by, held_until = excluded.held_until, begun_at = excluded.begun_at
     where h.held_until <= excluded.begun_at
       and coalesce(h.finished_at, '-infinity') <= excluded.begun_at - $4::float8 * interval '1 ms'`,
    [chore.name, chore.holder, chore.leaseMs, chore.everyMs],
  );
  return rowCount === 1;
}

/** Holds it for another lease. Answers false where it is no longer ours. */
export async function keepChore(database: Database, { name, holder, leaseMs }: Chore): Promise<boolean> {
  const { rowCount } = await database.pool.query(
    `update housekeeping set held_until = now() + $3::float8 * interval '1 ms' where chore = $1 and held_by = $2 and held_until > now()`,
    [name, holder, leaseMs],
  );
  return rowCount === 1;
}

/** Lets go of it: done to its end, or to be begun again at once by whoever comes. */
export async function endChore(database: Database, { name, holder }: Chore, finished: boolean): Promise<void> {
  await database.pool.query(
    `update housekeeping set held_until = now(), finished_at = case when $3 then now() else finished_at end
     where chore = $1 and held_by = $2 and held_until > now()`,
    [name, holder, finished],
  );
}

/** Seconds since a chore was last done to its end; null: never. */
export async function choreAge(database: Database, name: string): Promise<number | null> {
  const { rows } = await database.pool.query<{ age: number | null }>(
    'select extract(epoch from now() - finished_at)::float8 as age from housekeeping where chore = $1',
    [name],
  );
  return rows[0]?.age ?? null;
}
