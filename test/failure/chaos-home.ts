import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder of one run. */
export interface ChaosHome {
  readonly logs: string;
  /** Where the database lives. */
  readonly database: string;
  /** Whether the database's folder is a small disk of its own, so that it can be filled. */
  readonly smallDisk: boolean;
  /** Why it is not, where it is not. */
  readonly noSmallDiskBecause: string | null;
  /** Removes the database, and the logs too unless they are wanted. May be called again. */
  remove(options: { readonly keepLogs: boolean }): void;
}

/** A fresh cluster and its log, with room to recover in; and what a post leaves there, twice over. */
const diskBytes = { least: 640 * 2 ** 20, perRequest: 8 * 2 ** 10 };

/** Makes it, with the database on a bounded tmpfs where this process may mount one. */
export function makeChaosHome(requests: number): ChaosHome {
  const folder = mkdtempSync(join(tmpdir(), 'mailroom-chaos-'));
  const logs = join(folder, 'logs');
  const database = join(folder, 'database');
  mkdirSync(logs);
  mkdirSync(database);
  const options = [
    '-t',
    'tmpfs',
    '-o',
    `size=${diskBytes.least + requests * diskBytes.perRequest},mode=755`,
    'mailroom-chaos',
    database,
  ];
  const mounted = spawnSync('mount', options, { encoding: 'utf8' });
  const smallDisk = mounted.status === 0;
  let mountedStill = smallDisk;
  let removed = false;
  const home: ChaosHome = {
    logs,
    database,
    smallDisk,
    noSmallDiskBecause: smallDisk ? null : mounted.stderr?.trim() || 'there is no mount command here',
    remove: ({ keepLogs }) => {
      if (removed) return;
      // Lazily: a server that is still ending keeps its files until it has ended.
      if (mountedStill) mountedStill = spawnSync('umount', ['--lazy', database]).status !== 0;
      if (mountedStill) return;
      rmSync(keepLogs ? database : folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
      removed = true;
    },
  };
  // Where the run is interrupted.
  process.on('exit', () => home.remove({ keepLogs: false }));
  return home;
}
