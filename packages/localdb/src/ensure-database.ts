import { CodedError } from '@mailroom/kernel';
import { Client } from 'pg';
import { localDatabase } from './password.ts';

/** Makes the database that the URL names, through the database `postgres` that every cluster has. */
export async function ensureDatabase(maintenanceUrl: string): Promise<void> {
  const client = new Client({ connectionString: maintenanceUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [localDatabase]);
    if (rowCount === 0) await client.query(`create database ${localDatabase}`);
  } catch (error) {
    throw new CodedError('localdb_unusable', 'the local database started but cannot be used', { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
}
