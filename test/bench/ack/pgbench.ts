import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { benchEvent } from '../bench-event.ts';

export interface PgbenchRun {
  readonly perSecond: number;
  readonly transactions: number;
}

/** Whether pgbench is on the machine; the npm package of PostgreSQL has none. */
export function pgbenchVersion(): string | null {
  try {
    return execFileSync('pgbench', ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

/** Single-row inserts of a 2.5 KB body by pgbench, prepared, one transaction each. */
export async function runPgbench(
  url: string,
  { clients, seconds }: { clients: number; seconds: number },
): Promise<PgbenchRun> {
  const folder = await mkdtemp(join(tmpdir(), 'mailroom-pgbench-'));
  const { hostname, port, username, password, pathname } = new URL(url);
  try {
    const script = join(folder, 'insert.sql');
    await writeFile(
      script,
      `insert into floor_receipt (event_id, event_type, body) values (gen_random_uuid()::text, 'invoice.paid', :body);\n`,
    );
    // bytea reads plain text as it is, but for backslashes.
    const body = benchEvent(0)
      .body.toString('ascii')
      .replaceAll(/[^ -~]|\\/g, '?');
    const { stdout } = await promisify(execFile)(
      'pgbench',
      [
        '-n',
        '-M',
        'prepared',
        '-c',
        String(clients),
        '-j',
        '2',
        '-T',
        String(seconds),
        '-D',
        `body=${body}`,
        '-f',
        script,
      ].concat(['-h', hostname, '-p', port, '-U', username, pathname.slice(1)]),
      { env: { PATH: process.env['PATH'], PGPASSWORD: password } },
    );
    return {
      perSecond: Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]),
      transactions: Number(/actually processed: (\d+)/.exec(stdout)?.[1]),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
