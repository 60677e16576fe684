import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

/** Appends one row to `operator_actions` in the caller's transaction. */
export async function recordAction(
  tx: Tx,
  action: {
    readonly actor: string;
    readonly action: string;
    readonly reason: string;
    readonly selection: Readonly<Record<string, unknown>>;
    readonly affected: number;
  },
): Promise<void> {
  await sql`
    insert into operator_actions (actor, action, reason, selection, affected)
    values (${action.actor}, ${action.action}, ${action.reason}, ${JSON.stringify(action.selection)}::jsonb, ${action.affected})`.execute(
    tx,
  );
}
