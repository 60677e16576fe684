import { type Database, inTransaction } from '@mailroom/db';
import { sql } from 'kysely';
import type { ClaimedEvent } from '../claim.ts';

/**
 * Index: primary key of webhook_inbox. Reads a row whose COMMIT got no answer, on a fresh connection. FOR UPDATE waits for the old
 * backend, which may still be committing and holds the row's lock until it is done; bounded by the lock timeout.
 * `finished`: it committed. `ours`: it did not, and the lease is still ours. `lost`: somebody else has the row.
 */
export async function readBack(database: Database, claimed: ClaimedEvent): Promise<'finished' | 'ours' | 'lost'> {
  const row = await inTransaction(database, async (tx) => {
    await sql`select set_config('lock_timeout', '5s', true)`.execute(tx);
    const { rows } = await sql<{ finished: boolean; ours: boolean | null }>`
      select processed_at is not null as finished, lease_token = ${claimed.leaseToken} as ours from webhook_inbox
      where provider = ${claimed.provider} and endpoint = ${claimed.endpoint} and event_id = ${claimed.eventId}
      for update`.execute(tx);
    return rows[0];
  });
  if (row?.finished) return 'finished';
  return row?.ours ? 'ours' : 'lost';
}
