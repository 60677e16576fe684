import { CodedError } from '@mailroom/kernel';
import { Client } from 'pg';
import { acquireMigrationLock } from './migration-lock.ts';

export interface PartitionLedgerOptions {
  /** A direct connection as the owner of the tables, never a pooler in transaction mode. */
  readonly url: string;
  /** How many, 2 to 256. */
  readonly partitions: number;
  /** How long to wait for a connection, for a migrator and for the lock on the ledger, milliseconds. The copying is not bounded. */
  readonly deadlineMs: number;
}

/**
 * Splits the ledger into partitions by the hash of its key, for those whose ledger is too large for one table to be vacuumed. Everything
 * that holds of the one table holds of the partitions, deduplication first: the unique key is the partition key. Copies all rows in one
 * transaction that nobody can read or write the ledger beside, so stop ingestors and workers first, and have room for a second ledger.
 * Privileges on the ledger and its view are kept. Answers how many rows it copied.
 *
 * Throws `ledger_partitioned` where it is split already, and the database's error where a view of your own stands on the ledger.
 */
export async function partitionLedger({ url, partitions, deadlineMs }: PartitionLedgerOptions): Promise<number> {
  const deadlineAtMs = Date.now() + deadlineMs;
  const client = new Client({
    connectionString: url,
    application_name: 'mailroom-migrate',
    connectionTimeoutMillis: deadlineMs,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await acquireMigrationLock(client, deadlineAtMs);
    await client.query('begin');
    await client.query(`set local lock_timeout = ${Math.max(1, Math.round(deadlineAtMs - Date.now()))}`);
    await client.query('lock table webhook_inbox in access exclusive mode');
    const rows = await split(client, partitions);
    await client.query('commit');
    await client.query('analyze webhook_inbox');
    return rows;
  } finally {
    // Ending the session rolls back what was not committed.
    await client.end().catch(() => undefined);
  }
}

async function split(client: Client, partitions: number): Promise<number> {
  const before = await lookAt(client);
  if (before.kind === 'p') throw new CodedError('ledger_partitioned', 'the ledger is partitioned already');
  await client.query('drop view webhook_events');
  await client.query('alter table webhook_inbox rename to webhook_inbox_whole');
  for (const name of before.indexes.keys()) await client.query(`alter index ${name} rename to ${name}_whole`);

  await client.query(
    `create table webhook_inbox (like webhook_inbox_whole including all excluding indexes) partition by hash (${key})`,
  );
  const settings = before.settings.length > 0 ? `with (${before.settings.join(', ')})` : '';
  for (let at = 0; at < partitions; at += 1) {
    await client.query(
      `create table webhook_inbox_${at} partition of webhook_inbox
       for values with (modulus ${partitions}, remainder ${at}) ${settings}`,
    );
  }
  const { rowCount } = await client.query('insert into webhook_inbox select * from webhook_inbox_whole');
  await client.query('drop table webhook_inbox_whole');
  await client.query(`alter table webhook_inbox add constraint webhook_inbox_pkey primary key (${key})`);
  for (const [name, definition] of before.indexes) if (name !== 'webhook_inbox_pkey') await client.query(definition);
  await client.query(`create view webhook_events as ${before.view}`);
  for (const grant of before.grants) await client.query(grant);
  return rowCount ?? 0;
}

const key = 'provider, endpoint, event_id';

interface Ledger {
  readonly kind: string;
  readonly settings: readonly string[];
  /** Name and definition. */
  readonly indexes: ReadonlyMap<string, string>;
  readonly view: string;
  readonly grants: readonly string[];
}

async function lookAt(client: Client): Promise<Ledger> {
  const { rows } = await client.query<{ kind: string; settings: string[]; view: string }>(
    `select relkind as kind, coalesce(reloptions, '{}') as settings, pg_get_viewdef('webhook_events'::regclass) as view
     from pg_class where oid = 'webhook_inbox'::regclass`,
  );
  const indexes = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid = 'webhook_inbox'::regclass order by indexrelid`,
  );
  const grants = await client.query<{ text: string }>(
    `select format('grant %s%s on %s to %s%s', a.privilege_type, case when c.attname is not null then format(' (%I)', c.attname) end, c.relname,
       case when a.grantee = 0 then 'public' else a.grantee::regrole::text end, case when a.is_grantable then ' with grant option' else '' end) as text
     from (
       select oid::regclass::text as relname, null::name as attname, relowner, relacl as acl from pg_class
       where oid in ('webhook_inbox'::regclass, 'webhook_events'::regclass)
       union all
       select 'webhook_inbox', attname, null, attacl from pg_attribute where attrelid = 'webhook_inbox'::regclass
     ) as c cross join lateral aclexplode(c.acl) as a
     where a.grantee is distinct from c.relowner`,
  );
  const [table] = rows;
  if (!table) throw new Error('a regclass without a row in pg_class');
  return {
    ...table,
    indexes: new Map(indexes.rows.map(({ name, definition }) => [name, definition])),
    grants: grants.rows.map(({ text }) => text),
  };
}
