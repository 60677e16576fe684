import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

export interface ConnectedProcess {
  /** `mailroom-worker`, `mailroom-ingest`, ... */
  readonly application: string;
  readonly connections: number;
}

/**
 * Mailroom's own connections to this database, without this one. pg_stat_activity shows the application name of every session
 * to every role. A pooler may hide who is behind it, so an absence here proves nothing.
 */
export async function connectedProcesses(tx: Tx): Promise<readonly ConnectedProcess[]> {
  const { rows } = await sql<ConnectedProcess>`
    select application_name as application, count(*)::float8 as connections
    from pg_stat_activity
    where datname = current_database() and application_name like 'mailroom%' and pid <> pg_backend_pid()
      and application_name <> 'mailroom-ops'
    group by application_name order by application_name`.execute(tx);
  return rows;
}
