import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@mailroom/db';
import { silentLogger } from '@mailroom/kernel';
import { startLocalDatabase } from '@mailroom/localdb';
import { adminQuery, databaseUrl } from './admin-query.ts';

/** What the test files need to know to get a database of their own; they read it with vitest's `inject`. */
export interface TestServer {
  /** A user that may create databases. */
  readonly adminUrl: string;
  /** Of a pooler before it, through which the tests reach their databases. Left out: they connect to the server itself. */
  readonly pooledUrl?: string;
  /** Migrated; nobody connects to it, it is only cloned. */
  readonly template: string;
  /** The databases of this run begin with it. */
  readonly prefix: string;
}

export interface StartedTestServer extends TestServer {
  /** Drops the databases of this run, and stops the server where it was started here. */
  readonly stop: () => Promise<void>;
}

/**
 * One server for a whole run of vitest, with a template database that is migrated once. For a `globalSetup`, which hands it to
 * the test files: `project.provide('testServer', ...)`.
 *
 * `url` is a running PostgreSQL 15 to 18 and a user that may create databases; null starts an embedded one in a temporary
 * folder.
 */
export async function startTestServer(url: string | null): Promise<StartedTestServer> {
  const server = url === null ? await startEmbedded() : { url, stop: () => Promise.resolve() };
  const prefix = `mailroom_test_${process.pid}`;
  const template = `${prefix}_template`;
  try {
    await adminQuery(server.url, `create database ${template}`);
    await migrate({ url: databaseUrl(server.url, template), deadlineMs: 30_000, log: silentLogger });
  } catch (error) {
    await server.stop();
    throw error;
  }
  const stop = async () => {
    await dropDatabases(server.url, prefix);
    await server.stop();
  };
  return { adminUrl: server.url, template, prefix, stop };
}

async function startEmbedded(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'mailroom-test-'));
  const server = await startLocalDatabase({ home, log: silentLogger, settings: { max_connections: '400' } });
  const stop = async () => {
    await server.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  return { url: server.url, stop };
}

// A test file that was killed leaves its database behind, which on somebody's own server would stay for good.
async function dropDatabases(adminUrl: string, prefix: string): Promise<void> {
  const rows = await adminQuery(adminUrl, `select datname from pg_database where starts_with(datname, '${prefix}')`);
  for (const { datname } of rows) await adminQuery(adminUrl, `drop database if exists ${String(datname)} with (force)`);
}
