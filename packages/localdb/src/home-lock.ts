import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { CodedError } from '@mailroom/kernel';
import { runningProcess } from './running-process.ts';

/** Frees the lock. */
export type ReleaseHome = () => void;

/**
 * Takes the lock that says which process started the server. A lock whose holder is dead is taken over. Throws
 * `localdb_already_running` naming the holder's pid. What protects the data itself is PostgreSQL's own interlock; this lock
 * keeps two starts from making one data folder and makes the refusal understandable.
 */
export function lockHome(path: string): ReleaseHome {
  const draft = `${path}.${randomUUID()}`;
  const mine = JSON.stringify({ pid: process.pid, startedAt: runningProcess(process.pid)?.startedAt ?? '' });
  writeFileSync(draft, mine, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      if (linked(draft, path)) {
        return () => {
          if (readOrNull(path) === mine) rmSync(path, { force: true });
        };
      }
      const found = readOrNull(path);
      if (found === null) continue;
      refuseIfAlive(found);
      removeStale(path, found);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  throw new CodedError(
    'localdb_lock_contended',
    `${path} could not be taken: other processes keep taking and freeing it`,
  );
}

// Each lost round means another process won one.
const maxAttempts = 20;

function refuseIfAlive(content: string): void {
  const holder = readHolder(content);
  if (holder === null || runningProcess(holder.pid)?.startedAt !== holder.startedAt) return;
  throw new CodedError(
    'localdb_already_running',
    `the process ${holder.pid} already runs the local database of this MAILROOM_HOME. Stop it first, or set another MAILROOM_HOME.`,
  );
}

function readHolder(content: string): { readonly pid: number; readonly startedAt: string } | null {
  try {
    const { pid, startedAt } = JSON.parse(content) as { pid?: unknown; startedAt?: unknown };
    return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt } : null;
  } catch {
    return null;
  }
}

// Removing by name could remove the lock that another process took a moment ago, so it is moved aside and looked at first.
function removeStale(path: string, stale: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (readOrNull(aside) !== stale) linked(aside, path);
  rmSync(aside, { force: true });
}

// A hard link appears with its content and fails where the name is taken, unlike a file that is created and then written.
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
