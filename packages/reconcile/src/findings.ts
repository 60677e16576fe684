import type { Database, DB, Tx } from '@mailroom/db';
import type { Receiver } from '@mailroom/inbox';
import type { Scheme } from '@mailroom/providers';
import { type Kysely, sql } from 'kysely';
import { deliveriesOf } from './sweep.ts';

/** Something that differs from the provider, or is wrong with a registration. One row a kind and object. */
export interface Finding {
  readonly id: string;
  readonly provider: string;
  readonly endpoint: string;
  /** Empty: the endpoint's own. */
  readonly account: string;
  readonly kind: string;
  readonly objectKey: string;
  readonly ours: string | null;
  readonly theirs: string | null;
  readonly repairable: boolean;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  /** How often it was seen again after it had been closed. */
  readonly reopened: number;
  readonly repairedAt: Date | null;
  readonly closedAt: Date | null;
  readonly closedBy: string | null;
  readonly closeReason: string | null;
}

/** The open ones, the newest first; with `closed` all of them. Read only. */
export async function listFindings(
  db: Kysely<DB>,
  {
    closed = false,
    limit,
    id = null,
  }: { readonly closed?: boolean; readonly limit: number; readonly id?: string | null },
): Promise<readonly Finding[]> {
  const { rows } = await sql<Finding>`
    select finding_id::text as id, provider, endpoint, account, kind, object_key as "objectKey", ours, theirs,
      repair_body is not null as repairable, first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt", reopened,
      repaired_at as "repairedAt", closed_at as "closedAt", closed_by as "closedBy", close_reason as "closeReason"
    from findings
    where (closed_at is null or ${closed}) and (${id}::bigint is null or finding_id = ${id}::bigint)
    order by finding_id desc limit ${limit}`.execute(db);
  return rows;
}

export interface FindingAct {
  readonly id: string;
  readonly actor: string;
  readonly reason: string;
}

/**
 * Closes a finding, on record. It is no muting: a comparison that sees it again opens it again. Answers false where there is no open
 * finding of this id.
 */
export async function closeFinding(database: Database, act: FindingAct): Promise<boolean> {
  return await database.kysely.transaction().execute(async (tx) => {
    const { numAffectedRows } = await sql`
      update findings set closed_at = now(), closed_by = ${act.actor}, close_reason = ${act.reason}
      where finding_id = ${act.id}::bigint and closed_at is null`.execute(tx);
    if (numAffectedRows === 0n) return false;
    await record(tx, 'close_finding', act);
    return true;
  });
}

export type RepairOutcome = 'repairing' | 'came_already' | 'no_repair' | 'not_open';

/**
 * Lets the object in as the provider showed it, as an event with the origin `reconcile`: the handlers mend our copy, as they would
 * after any webhook. The finding stays open until a comparison is clean. `came_already`: this very repair has come in before.
 */
export async function repairFinding(
  database: Database,
  receiver: Receiver,
  schemeOf: (at: { readonly provider: string; readonly endpoint: string }) => Scheme,
  act: FindingAct,
): Promise<RepairOutcome> {
  const row = await database.kysely
    .selectFrom('findings')
    .select(['provider', 'endpoint', 'repair_body', 'repair_headers'])
    .where('finding_id', '=', act.id)
    .where('closed_at', 'is', null)
    .executeTakeFirst();
  if (!row) return 'not_open';
  if (row.repair_body === null) return 'no_repair';
  const headers = (row.repair_headers ?? {}) as Readonly<Record<string, string>>;
  const source = { provider: row.provider, endpoint: row.endpoint, scheme: schemeOf(row) };
  const [repair] = deliveriesOf(source, { body: row.repair_body, headers });
  if (!repair) return 'no_repair';
  const { stored } = await receiver.receive(repair.delivery);
  await database.kysely.transaction().execute(async (tx) => {
    await sql`update findings set repaired_at = now() where finding_id = ${act.id}::bigint`.execute(tx);
    await record(tx, 'repair_finding', act);
  });
  return stored === 0 ? 'came_already' : 'repairing';
}

async function record(tx: Tx, action: string, { id, actor, reason }: FindingAct): Promise<void> {
  const selection = JSON.stringify({ finding: id });
  await tx.insertInto('operator_actions').values({ actor, action, reason, selection, affected: 1 }).execute();
}
