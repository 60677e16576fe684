import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';
import type { FetchedEvent } from './event-source.ts';

export interface Seen {
  readonly provider: string;
  readonly endpoint: string;
  readonly account: string | null;
  readonly kind: string;
  readonly objectKey: string;
  readonly ours: string | null;
  readonly theirs: string | null;
  readonly repair: FetchedEvent | null;
}

/** Notes what a comparison has seen; what was closed is opened again. Answers those that were not open before. */
export async function noteFindings(tx: Tx, seen: readonly Seen[]): Promise<readonly Seen[]> {
  const opened: Seen[] = [];
  for (const finding of seen) {
    const { provider, endpoint, account, kind, objectKey, repair } = finding;
    const { rows } = await sql<{ readonly opened: boolean }>`
      with before as (
        select closed_at is null as was_open from findings
        where provider = ${provider} and endpoint = ${endpoint} and account = ${account ?? ''}
          and kind = ${kind} and object_key = ${objectKey}
      )
      insert into findings as f
        (provider, endpoint, account, kind, object_key, ours, theirs, repair_body, repair_headers)
      values (${provider}, ${endpoint}, ${account ?? ''}, ${kind}, ${objectKey}, ${finding.ours}, ${finding.theirs},
        ${repair?.body ?? null}, ${repair === null ? null : JSON.stringify(repair.headers)}::jsonb)
      on conflict (provider, endpoint, account, kind, object_key) do update
      set ours = excluded.ours, theirs = excluded.theirs, repair_body = excluded.repair_body,
          repair_headers = excluded.repair_headers, last_seen_at = now(),
          reopened = f.reopened + case when f.closed_at is null then 0 else 1 end,
          closed_at = null, closed_by = null, close_reason = null
      returning not coalesce((select was_open from before), false) as opened`.execute(tx);
    if (rows[0]?.opened) opened.push(finding);
  }
  return opened;
}

/** Of the objects that were looked at, closes what was not seen again. Answers how many. */
export async function closeUnseen(
  tx: Tx,
  at: { readonly provider: string; readonly endpoint: string; readonly account: string | null },
  looked: { readonly kinds: readonly string[]; readonly objectKeys: readonly string[] },
  seen: readonly Seen[],
): Promise<number> {
  const { numAffectedRows } = await sql`
    update findings set closed_at = now(), closed_by = 'rule:reconcile', close_reason = 'the next comparison was clean'
    where provider = ${at.provider} and endpoint = ${at.endpoint} and account = ${at.account ?? ''} and closed_at is null
      and kind = any(${looked.kinds}::text[]) and object_key = any(${looked.objectKeys}::text[])
      and not exists (
        select from unnest(${seen.map(({ kind }) => kind)}::text[], ${seen.map(({ objectKey }) => objectKey)}::text[])
          as s (kind, object_key)
        where s.kind = findings.kind and s.object_key = findings.object_key
      )`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
