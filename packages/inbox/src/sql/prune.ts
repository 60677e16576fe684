import type { Database } from '@mailroom/db';
import type { RetentionRule } from '../retention-rules.ts';

export interface PruneBatch {
  /** Rows walked over; fewer than the limit: the walk is at its end. */
  readonly seen: number;
  /** Of these, rows old enough. */
  readonly old: number;
  /** Of these, rows deleted, or in a dry run, rows that would be. */
  readonly gone: number;
  /** Where the next batch begins; null where nothing was seen. */
  readonly last: readonly string[] | null;
}

export interface PruneStep {
  readonly oldBefore: Date;
  readonly limit: number;
  /** Where the batch before ended; null: at the start. */
  readonly after: readonly string[] | null;
  readonly dryRun: boolean;
}

/**
 * Index: the one that begins with the rule's first walk column. One statement, committed by itself. Locks: the rows it deletes, SKIP
 * LOCKED, so it waits for nobody, and nobody who holds other rows waits for it. Bounded by `limit` rows walked, whether they may go
 * or not: rows that stay are stepped over once a pass. It goes on after a cursor, not at the start, or each batch would step over the
 * dead entries of those before it.
 */
export async function pruneBatch(database: Database, rule: RetentionRule, step: PruneStep): Promise<PruneBatch> {
  const { rows } = await database.pool.query<PruneBatch>(pruneText(rule, step), [
    step.oldBefore,
    step.limit,
    ...(step.after ?? []),
    ...(rule.before ? [rule.before(step.oldBefore.getTime())] : []),
  ]);
  const [batch] = rows;
  if (!batch) throw new Error('a query without FROM answered no row');
  return batch;
}

function pruneText(rule: RetentionRule, { after, dryRun }: PruneStep): string {
  const types = Object.entries(rule.walk);
  const columns = types.map(([column]) => column);
  const list = (of: string) => columns.map((column) => `${of}.${column}`).join(', ');
  // Not by the whole walk: events of one batch were finished in the same moment, and each would be compared with all of them.
  const same = (a: string, b: string) =>
    (rule.key ?? columns).map((column) => `${a}.${column} = ${b}.${column}`).join(' and ');
  const walked = [rule.among ?? 'true'];
  if (after) {
    walked.push(`(${list('t')}) > (${types.map(([, type], at) => `$${at + 3}::${type}`).join(', ')})`);
  }
  if (rule.before) walked.push(`${list('t')} < $${(after?.length ?? 0) + 3}::${types[0]?.[1]}`);
  // MATERIALIZED, or the planner may run the LIMIT again inside the join.
  return `with seen as materialized (
      select ${list('t')}, ${rule.age} < $1::timestamptz as old
      from ${rule.table} t where ${walked.join(' and ')}
      order by ${list('t')} limit $2
    ),
    free as materialized (
      select ${list('t')}
      from seen join ${rule.table} t on ${same('seen', 't')}
      where seen.old and ${rule.when ?? 'true'}
      ${dryRun ? '' : 'for update of t skip locked'}
    )${dryRun ? '' : `,\n    gone as (delete from ${rule.table} t using free where ${same('t', 'free')} returning 1)`}
    select (select count(*)::int from seen) as seen, (select count(*)::int from seen where old) as old,
      (select count(*)::int from ${dryRun ? 'free' : 'gone'}) as gone,
      (select array[${columns.map((column) => `${column}::text`).join(', ')}] from seen
       order by ${columns.map((column) => `${column} desc`).join(', ')} limit 1) as last`;
}
