import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@mailroom/db';
import { silentLogger } from '@mailroom/kernel';
import { startLocalDatabase } from '@mailroom/localdb';
import { adminQuery, databaseUrl } from './admin-query.ts';

/** What is needed to make databases on a server. */
export interface TestServer {
  /** A user that may create databases. */
  readonly adminUrl: string;
  /** Migrated; nobody connects to it, it is only cloned. */
  readonly template: string;
  /** The databases of this run begin with it. */
  readonly prefix: string;
}

/**
 * TEST_DATABASE_URL where it is set (PostgreSQL 15 to 18, a user that may create databases), else an embedded server in a
 * temporary folder. Migrates the template database. `stop` drops every database of this run.
 */
export async function startTestServer(): Promise<TestServer & { readonly stop: () => Promise<void> }> {
  const server = await startServer();
  try {
    const prefix = `mailroom_test_${process.pid}`;
    const template = `${prefix}_template`;
    await adminQuery(server.url, `create database ${template}`);
    await migrate({ url: databaseUrl(server.url, template), deadlineMs: 30_000, log: silentLogger });
    const stop = async () => {
      await dropDatabases(server.url, prefix);
      await server.stop();
    };
    return { adminUrl: server.url, template, prefix, stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function startServer(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const external = process.env['TEST_DATABASE_URL'];
  if (external !== undefined && external !== '') return { url: external, stop: () => Promise.resolve() };
  const home = await mkdtemp(join(tmpdir(), 'mailroom-test-'));
  const server = await startLocalDatabase({ home, log: silentLogger, settings: { max_connections: '400' } });
  const stop = async () => {
    await server.stop();
    await rm(home, { recursive: true, force: true });
  };
  return { url: server.url, stop };
}

// A test file that was killed leaves its database behind, which on somebody's own server would stay for good.
async function dropDatabases(adminUrl: string, prefix: string): Promise<void> {
  const rows = await adminQuery(adminUrl, `select datname from pg_database where starts_with(datname, '${prefix}')`);
  for (const { datname } of rows) await adminQuery(adminUrl, `drop database if exists ${String(datname)} with (force)`);
}
