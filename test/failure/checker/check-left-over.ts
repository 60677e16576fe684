import type { ClientBase } from 'pg';
import type { Difference } from './difference.ts';

/** What a fleet that has stopped must not leave in the database. Looks at once; the caller waits for sessions to end. */
export async function checkLeftOver(client: ClientBase): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  for (const [what, sql] of leftOvers) {
    const { rows } = await client.query<{ key: string }>(sql);
    for (const { key } of rows) differences.push({ kind: 'left over', key, detail: what });
  }
  return differences;
}

const leftOvers: readonly (readonly [what: string, sql: string])[] = [
  [
    'a session',
    `select application_name || ' ' || pid || ' ' || coalesce(state, '') as key from pg_stat_activity
     where datname = current_database() and application_name like 'mailroom-%'`,
  ],
  [
    'an advisory lock',
    `select 'advisory lock of ' || pid as key from pg_locks
     where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
  ],
  ['a prepared transaction', 'select gid as key from pg_prepared_xacts where database = current_database()'],
  ['a temporary file', `select name as key from pg_ls_tmpdir()`],
  ['an object that waits for its turn', `select provider || '/' || object_key as key from inbox_objects`],
];
