import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { CodedError } from '@mailroom/kernel';
import type { HomeLayout } from './home-layout.ts';

/** The superuser of the local database. */
export const localUser = 'mailroom';

/** The database that the URL names. */
export const localDatabase = 'mailroom';

/**
 * The server's password: generated at the first start and kept, readable by its owner only. Loopback is shared by every user
 * and every browser of a machine, so "only on 127.0.0.1" alone protects nothing. Throws `localdb_password_missing`.
 */
export function ensurePassword(layout: HomeLayout): string {
  if (existsSync(layout.password)) return readPassword(layout);
  if (existsSync(layout.data)) {
    throw new CodedError(
      'localdb_password_missing',
      `${layout.data} holds a database but its password file ${layout.password} is gone. Put it back, or remove ${layout.data} to begin with an empty database.`,
    );
  }
  const password = randomBytes(24).toString('base64url');
  writeFileSync(layout.password, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true });
  return password;
}

export function readPassword(layout: HomeLayout): string {
  return readFileSync(layout.password, 'utf8').trim();
}

/** The URL of the local database. */
export function localUrl(port: number, password: string, database = localDatabase): string {
  return `postgres://${localUser}:${password}@127.0.0.1:${port}/${database}`;
}
