import type { Database } from '@mailroom/db';
import type { ClaimedEvent } from '@mailroom/inbox';
import { type Columns, insertRow, type State } from '../db/inbox-row.ts';

/** Under which the leased rows are leased. */
const token = '01900000-0000-7000-8000-000000000001';

const leased = { lease_token: `'${token}'`, leased_by: "'w1'", leased_until: "now() + interval '1 hour'" };
const over = { leased_until: "now() - interval '1 second'" };
const suspect = { suspect: 'true' };
const first = { attempts: '1', total_attempts: '1' };
const last = { attempts: '3', total_attempts: '3' };
const old = { processed_at: "now() - interval '90 days'" };

/** A row in every place, and in every condition that a statement may ask for. */
const seeds: Readonly<Record<string, { readonly state: State; readonly columns?: Columns }>> = {
  waiting: { state: 'pending' },
  waiting_without_attempts: { state: 'pending', columns: last },
  leased: { state: 'pending', columns: { ...leased, ...first } },
  leased_at_its_limit: { state: 'pending', columns: { ...leased, ...last } },
  leased_long_ago: { state: 'pending', columns: { ...leased, ...over, ...first } },
  leased_long_ago_at_its_limit: { state: 'pending', columns: { ...leased, ...over, ...last } },
  suspect: { state: 'pending', columns: { ...suspect, ...first } },
  suspect_without_attempts: { state: 'pending', columns: { ...suspect, ...last } },
  suspect_leased: { state: 'pending', columns: { ...suspect, ...leased, ...first } },
  suspect_leased_at_its_limit: { state: 'pending', columns: { ...suspect, ...leased, ...last } },
  suspect_leased_long_ago: { state: 'pending', columns: { ...suspect, ...leased, ...over, ...first } },
  suspect_leased_long_ago_at_its_limit: { state: 'pending', columns: { ...suspect, ...leased, ...over, ...last } },
  held: { state: 'held' },
  held_suspect: { state: 'held', columns: { ...suspect, ...first } },
  exhausted: { state: 'exhausted' },
  rejected: { state: 'rejected' },
  parked: { state: 'parked' },
  quarantined: { state: 'quarantined' },
  processed: { state: 'processed', columns: old },
  ignored: { state: 'ignored', columns: old },
};

/** Seeds them all. `heldBy` is who holds the held ones. Answers each as a worker would know it that once claimed it. */
export async function seedEveryPlace(database: Database, heldBy: string): Promise<readonly ClaimedEvent[]> {
  for (const [eventId, { state, columns = {} }] of Object.entries(seeds)) {
    const held = state === 'held' ? { held_by: `'${heldBy}'` } : {};
    const own = { event_id: `'${eventId}'`, event_type: "'test.event'", object_key: "'object_1'" };
    await insertRow(database, state, { ...own, ...columns, ...held });
  }
  return Object.entries(seeds).map(([eventId, { columns = {} }]) => ({
    provider: 'stripe',
    endpoint: 'billing',
    eventId,
    eventType: 'test.event',
    objectKey: 'object_1',
    attempts: Number(columns['attempts'] ?? '0'),
    maxAttempts: 3,
    infraRetries: 0,
    leaseToken: token,
    failureGroup: null,
    availableAt: new Date(),
    suspect: 'suspect' in columns,
  }));
}
