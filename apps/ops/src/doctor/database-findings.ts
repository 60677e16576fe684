import { migrationState, type Tx } from '@mailroom/db';
import { sql } from 'kysely';
import { spanOf } from '../terminal/span.ts';
import { typed } from '../terminal/typed.ts';
import { type Finding, fine, note, wrong } from './finding.ts';

/** Looks at the database: version, migrations, clock, durability, and what keeps vacuum from its work. Reads only. */
export async function databaseFindings(
  tx: Tx,
  { clock, openLongerThan }: { readonly clock: () => number; readonly openLongerThan: number },
): Promise<readonly Finding[]> {
  // First, for everything after it takes time.
  const skew = await clockFinding(tx, clock);
  return [
    await versionFinding(tx),
    ...(await migrationFindings(tx)),
    skew,
    ...(await durabilityFindings(tx)),
    ...(await vacuumFindings(tx, openLongerThan)),
  ];
}

async function clockFinding(tx: Tx, clock: () => number): Promise<Finding> {
  const before = clock();
  const { rows } = await sql<{ readonly ms: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(tx);
  const after = clock();
  const skewMs = Math.round((rows[0]?.ms ?? 0) - (before + after) / 2);
  const found = `the database's clock is ${Math.abs(skewMs)} ms ${skewMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  // What the way there and back took cannot be told from skew.
  if (Math.abs(skewMs) <= 1000 + (after - before) / 2) return fine('clocks', found);
  const advice = 'Signed times are compared with the clock of the ingestors; run NTP everywhere.';
  return Math.abs(skewMs) > 30_000 ? wrong('clocks', found, advice) : note('clocks', found, advice);
}

async function versionFinding(tx: Tx): Promise<Finding> {
  const { rows } = await sql<{ readonly number: number; readonly version: string }>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as version`.execute(
    tx,
  );
  const { number = 0, version = '' } = rows[0] ?? {};
  const found = `PostgreSQL ${version}`;
  if (number < 150_000) return wrong('version', found, 'Mailroom needs 15 or later.');
  if (number < 170_000) {
    const advice = 'Before 17 the server does not bound whole transactions; statement and idle timeouts do.';
    return note('version', found, advice);
  }
  return fine('version', found);
}

async function migrationFindings(tx: Tx): Promise<readonly Finding[]> {
  const table = await sql<{ readonly isThere: boolean }>`
    select to_regclass('mailroom_migrations') is not null as "isThere"`.execute(tx);
  if (!table.rows[0]?.isThere) return [wrong('migrations', 'none is applied', typed('migrate'))];
  const { pending, unknown, changed } = await migrationState(tx);
  const findings: Finding[] = [];
  if (pending.length > 0) findings.push(wrong('migrations', `not applied: ${pending.join(', ')}`, typed('migrate')));
  if (changed.length > 0) {
    findings.push(
      wrong('migrations', `changed after they were applied: ${changed.join(', ')}`, 'Put the old text back.'),
    );
  }
  if (unknown.length > 0) {
    const advice = 'A newer release ran here. During a rolling deployment that is as it should be.';
    findings.push(note('migrations', `unknown to this release: ${unknown.join(', ')}`, advice));
  }
  return findings.length > 0 ? findings : [fine('migrations', 'all applied')];
}

async function durabilityFindings(tx: Tx): Promise<readonly Finding[]> {
  const { rows } = await sql<{ readonly name: string; readonly setting: string }>`
    select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')
    order by name`.execute(tx);
  const lost = 'A crash of the server can lose or damage deliveries that were answered 200. Switch it on.';
  const off = rows.filter(({ setting }) => setting === 'off');
  if (off.length === 0) return [fine('durability', rows.map(({ name, setting }) => `${name} ${setting}`).join(', '))];
  return off.map(({ name }) => wrong('durability', `${name} is off`, lost));
}

interface Holder {
  readonly what: string;
  readonly seconds: number;
}

/** While the oldest snapshot stays, vacuum removes nothing that died after it, and the claim steps over all of it. */
async function vacuumFindings(tx: Tx, openLongerThan: number): Promise<readonly Finding[]> {
  const { rows } = await sql<Holder>`
    select * from (
      select format('a transaction of %s (pid %s)', coalesce(nullif(application_name, ''), usename, backend_type), pid) as what,
             extract(epoch from now() - xact_start)::float8 as seconds
      from pg_stat_activity
      where xact_start is not null and backend_xmin is not null and pid <> pg_backend_pid()
        and backend_type not like 'autovacuum%'
        and (datname = current_database() or datname is null)
      union all
      select format('the prepared transaction %s', gid), extract(epoch from now() - prepared)::float8
      from pg_prepared_xacts where database = current_database()
    ) holders where seconds > ${openLongerThan} order by seconds desc limit 10`.execute(tx);
  const slots = await sql<{ readonly what: string }>`
    select format('the replication slot %s', slot_name) as what from pg_replication_slots
    where not active and (xmin is not null or catalog_xmin is not null)`.execute(tx);
  const advice =
    'While it is open vacuum cannot clean the inbox, and claims become slow. End it where it is not wanted.';
  const findings = [
    ...rows.map(({ what, seconds }) => wrong('vacuum', `${what} has been open for ${spanOf(seconds)}`, advice)),
    ...slots.rows.map(({ what }) => wrong('vacuum', `${what} is not used and holds old rows`, advice)),
  ];
  if (findings.length > 0) return findings;
  const seen = await sql<{ readonly all: boolean }>`
    select pg_has_role('pg_read_all_stats', 'usage') as "all"`.execute(tx);
  if (seen.rows[0]?.all) return [fine('vacuum', 'nothing holds old rows')];
  const grant = 'Grant pg_monitor to it to see those of others.';
  return [note('vacuum', 'nothing that this role may see holds old rows', grant)];
}
