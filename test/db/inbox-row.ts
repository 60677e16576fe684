import type { Database } from '@mailroom/db';

/** Columns of an inbox row as SQL literals by name. */
export type Columns = Readonly<Record<string, string>>;

/** What each state needs beside the plain columns; every one of them is a valid row. */
export const validRows = {
  pending: {},
  held: { held_by: "'pause'", state_reason: "'paused by an operator'" },
  exhausted: { attempts: '3', total_attempts: '3', state_reason: "'three attempts failed'" },
  rejected: { attempts: '1', total_attempts: '1', state_reason: "'no such account'" },
  parked: {},
  quarantined: { state_reason: "'not JSON'" },
  processed: { processed_at: 'now()' },
  ignored: { processed_at: 'now()', state_reason: "'nothing to do'" },
} as const satisfies Readonly<Record<string, Columns>>;

export type State = keyof typeof validRows;

export const states = Object.keys(validRows) as readonly State[];

/** A whole lease. */
export const lease = {
  lease_token: 'gen_random_uuid()',
  leased_by: "'worker-1'",
  leased_until: "now() + interval '1 minute'",
} as const;

/** Inserts a row of a state that differs from a valid one only where told; the event id is `evt_<state>`. Its body is there. */
export async function insertRow(database: Database, state: State, differing: Columns = {}): Promise<void> {
  const columns: Columns = {
    provider: "'stripe'",
    endpoint: "'billing'",
    event_id: `'evt_${state}'`,
    event_type: "'invoice.paid'",
    delivery_id: 'gen_random_uuid()',
    max_attempts: '3',
    state: `'${state}'`,
    ...validRows[state],
    ...differing,
  };
  const { delivery_id: deliveryId, ...others } = columns;
  await database.pool.query(
    `with delivery as (
      insert into webhook_delivery (delivery_id, provider, endpoint, body) values (${deliveryId}, 'stripe', 'billing', '{}')
      returning delivery_id
    )
    insert into webhook_inbox (delivery_id, ${Object.keys(others).join(', ')})
    select delivery_id, ${Object.values(others).join(', ')} from delivery`,
  );
}
