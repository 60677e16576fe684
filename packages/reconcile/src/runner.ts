import { randomUUID } from 'node:crypto';
import type { Database, Tx } from '@mailroom/db';
import { CodedError } from '@mailroom/kernel';
import { sql } from 'kysely';

export interface RunnerRequest {
  /** What only one may do at a time. */
  readonly task: string;
  /** Who asks: host and process. */
  readonly holder: string;
  /** How long a runner that no longer renews keeps others out, milliseconds; far longer than one request to a provider. */
  readonly leaseMs: number;
}

/** The right to run. */
export interface Runner {
  /** Holds the lease for as long again. Throws `lease_lost` where another runner has taken over. */
  renew(): Promise<void>;
  /** The same inside a transaction: what it writes commits only while the lease is ours. */
  renewIn(tx: Tx): Promise<void>;
}

export type RunOutcome<T> =
  | { readonly outcome: 'ran'; readonly result: T }
  | { readonly outcome: 'busy'; readonly holder: string; readonly since: Date; readonly leasedUntil: Date };

/**
 * Runs `work` unless somebody else is at it. The lease is a row, not a session lock, which a pooler in transaction mode would
 * hand to a stranger. A runner that dies keeps others out until its lease ends.
 */
export async function asOnlyRunner<T>(
  database: Database,
  request: RunnerRequest,
  work: (runner: Runner) => Promise<T>,
): Promise<RunOutcome<T>> {
  const { task, holder, leaseMs } = request;
  const token = randomUUID();
  const taken = await database.pool.query(
    `insert into reconcile_runners as r (task, holder, token, leased_until)
     values ($1, $2, $3, now() + $4 * interval '1 ms')
     on conflict (task) do update
     set holder = excluded.holder, token = excluded.token, since = now(), leased_until = excluded.leased_until
     where r.leased_until < now()`,
    [task, holder.slice(0, 255), token, leaseMs],
  );
  if (taken.rowCount === 0) return await whoRuns(database, request, work);
  const renewIn = async (tx: Tx): Promise<void> => {
    const { numAffectedRows } = await sql`
      update reconcile_runners set leased_until = now() + ${leaseMs} * interval '1 ms'
      where task = ${task} and token = ${token}`.execute(tx);
    if (numAffectedRows === 0n) throw lost(task);
  };
  const renew = () => database.kysely.transaction().execute(renewIn);
  try {
    return { outcome: 'ran', result: await work({ renew, renewIn }) };
  } finally {
    await database.pool.query('delete from reconcile_runners where task = $1 and token = $2', [task, token]);
  }
}

async function whoRuns<T>(
  database: Database,
  request: RunnerRequest,
  work: (runner: Runner) => Promise<T>,
): Promise<RunOutcome<T>> {
  const { rows } = await database.pool.query<{ holder: string; since: Date; leasedUntil: Date }>(
    'select holder, since, leased_until as "leasedUntil" from reconcile_runners where task = $1',
    [request.task],
  );
  // It has ended between the two statements.
  if (!rows[0]) return await asOnlyRunner(database, request, work);
  return { outcome: 'busy', ...rows[0] };
}

function lost(task: string): CodedError {
  return new CodedError('lease_lost', `another runner has taken over ${task}; what this one had finished stays`);
}
