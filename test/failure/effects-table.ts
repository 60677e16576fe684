import type { ClientBase } from 'pg';

/**
 * Where the witness of the handlers writes (preload/witness.ts). No key and no constraint: the handlers of the example are
 * idempotent and would hide an event that was applied twice; this table cannot.
 */
export async function createEffectsTable(client: ClientBase): Promise<void> {
  await client.query(
    `create table chaos_effects (event_id text not null, transaction xid8 not null default pg_current_xact_id(),
       backend int not null default pg_backend_pid(), at timestamptz not null default clock_timestamp())`,
  );
}
