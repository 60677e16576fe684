import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';
import { databaseUrlOf } from '../traffic/database-url.ts';
import { isAlive, processesWith } from './processes.ts';
import { npm, processesOf, startMailroom } from './start-mailroom.ts';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'mailroom-start-'));
});
afterEach(async () => {
  // A test that failed half-way must not leave its processes to the next one.
  for (const { pid } of ours()) process.kill(pid, 'SIGKILL');
  await nothingIsLeft();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.runIf(process.platform === 'linux')(
  'npm start (finding its processes needs /proc)',
  { timeout: 240_000 },
  () => {
    it('takes a storm without losing or doubling anything, and ends with exit code 0 at Ctrl-C', async () => {
      const mailroom = await startMailroom(home);
      const storm = npm(['run', 'send', '--', 'storm'], { MAILROOM_HOME: home, PORT: mailroom.port });
      expect(await storm.ended, storm.lines.join('\n')).toBe(0);
      expect(storm.lines.join('\n')).toContain('The database holds exactly what was posted.');

      // A terminal signals the whole process group: npm, which passes it on, and what npm runs.
      process.kill(-mailroom.pid, 'SIGINT');
      expect(await mailroom.ended, mailroom.lines.join('\n')).toBe(0);
      expect(mailroom.lines.filter((line) => line.startsWith('stop'))).toEqual([
        'stopping ingest ...',
        'stopping worker-1 and worker-2 ...',
        'stopping PostgreSQL ...',
        'stopped',
      ]);
      expect(ours()).toEqual([]);
    });

    it('keeps the data, and runs an ingestor and two workers as processes of their own', async () => {
      const mailroom = await startMailroom(home);
      expect(await countEvents()).toBeGreaterThan(100);
      expect(processesOf(home, 'ingest')).toHaveLength(1);
      expect(processesOf(home, 'worker')).toHaveLength(2);
      process.kill(mailroom.pid, 'SIGTERM');
      expect(await mailroom.ended).toBe(0);
    });

    it('starts a worker again that was killed, and says so', async () => {
      const mailroom = await startMailroom(home);
      const [victim = 0, other] = processesOf(home, 'worker');
      process.kill(victim, 'SIGKILL');
      await waitFor('another worker', () => {
        const workers = processesOf(home, 'worker');
        return workers.length === 2 && !workers.includes(victim) && workers.includes(other ?? 0);
      });
      expect(mailroom.lines.join('\n')).toMatch(
        new RegExp(`\\(pid ${victim}\\) was ended by SIGKILL; starting it again`),
      );
      process.kill(mailroom.pid, 'SIGTERM');
      expect(await mailroom.ended).toBe(0);
    });

    it('leaves nothing behind when it is killed, and starts again', async () => {
      const killed = await startMailroom(home);
      const [supervisor = 0] = processesOf(home, 'local');
      const before = await countEvents();
      process.kill(supervisor, 'SIGKILL');
      expect(await killed.ended).not.toBe(0);
      await nothingIsLeft();

      const mailroom = await startMailroom(home);
      expect(await countEvents()).toBe(before);
      process.kill(mailroom.pid, 'SIGTERM');
      expect(await mailroom.ended).toBe(0);
    });

    it('exits at once at a second signal and leaves nothing behind', async () => {
      const mailroom = await startMailroom(home);
      const [supervisor = 0] = processesOf(home, 'local');
      // A worker that cannot drain.
      for (const worker of processesOf(home, 'worker')) process.kill(worker, 'SIGSTOP');
      await waitFor('the end', () => {
        if (!mailroom.hasEnded()) process.kill(supervisor, 'SIGINT');
        return mailroom.hasEnded();
      });
      expect(await mailroom.ended).toBe(130);
      await nothingIsLeft();
    });

    it('uses the database of DATABASE_URL and starts none', async () => {
      const database = await createTestDatabase();
      const env = { DATABASE_URL: database.url };
      const mailroom = await startMailroom(home, env);
      expect(serverPid()).toBeNull();
      const storm = npm(['run', 'send', '--', 'storm'], { MAILROOM_HOME: home, PORT: mailroom.port, ...env });
      expect(await storm.ended, storm.lines.join('\n')).toBe(0);
      process.kill(mailroom.pid, 'SIGTERM');
      expect(await mailroom.ended, mailroom.lines.join('\n')).toBe(0);
      await database.drop();
    });

    it('says which port is taken, and starts nothing', async () => {
      const other = createServer();
      await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
      const address = other.address();
      const port = typeof address === 'object' && address ? String(address.port) : '';
      const refused = npm(['start'], { MAILROOM_HOME: home, PORT: port, ADMIN_PORT: '0' });
      expect(await refused.ended).toBe(1);
      other.close();
      expect(refused.lines.join('\n')).toContain(`port ${port} is in use`);
      expect(refused.lines.join('\n')).not.toContain('PostgreSQL');
    });
  },
);

/** Everything of this home that lives, the database server included. */
function ours() {
  const byEnvironment = processesWith(home);
  const server = serverPid();
  return [...byEnvironment, ...(server && isAlive(server) ? [{ pid: server, parent: 0, command: 'postgres' }] : [])];
}

function serverPid(): number | null {
  try {
    return Number(readFileSync(join(home, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return null;
  }
}

// The workers' own shutdown deadline is 25 s; what is still there afterwards would stay.
async function nothingIsLeft(): Promise<void> {
  await waitFor('every process of this MAILROOM_HOME to be gone', () => ours().length === 0, { deadlineMs: 40_000 });
}

async function countEvents(): Promise<number> {
  const client = new Client({ connectionString: databaseUrlOf({ MAILROOM_HOME: home }) });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>('select count(*)::int as count from webhook_inbox');
    return rows[0]?.count ?? 0;
  } finally {
    await client.end();
  }
}
