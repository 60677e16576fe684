import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StartedProcess, startProcess } from '../support/start-process.ts';
import { waitFor } from '../support/wait-for.ts';

/** A process of its own that runs a local database. */
export interface LocalDatabaseProcess {
  readonly parent: StartedProcess;
  readonly serverPid: number;
  readonly url: string;
}

export async function startLocalDatabaseProcess(home: string): Promise<LocalDatabaseProcess> {
  const parent = startProcess({ script: 'test/localdb/run-local-database.ts', args: [home] });
  const [, pid, url] = (await parent.waitForLine(/^ready /)).split(' ');
  return { parent, serverPid: Number(pid), url: String(url) };
}

/** A folder that only its owner may enter, as `mktemp -d` makes them. */
export async function newHome(): Promise<string> {
  return join(await mkdtemp(join(tmpdir(), 'mailroom-localdb-')), 'home');
}

export async function waitUntilGone(what: string, pid: number): Promise<void> {
  await waitFor(`${what}, process ${pid}, to be gone`, () => !lives(pid), { deadlineMs: 15_000 });
}

/** A zombie does not live: where pid 1 is no init, nobody reaps it. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
