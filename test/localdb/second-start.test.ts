import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminQuery } from '../support/admin-query.ts';
import { startProcess } from '../support/start-process.ts';
import { newHome, startLocalDatabaseProcess, waitUntilGone } from './local-database-process.ts';

describe('two starts on one MAILROOM_HOME', () => {
  let home: string;
  beforeEach(async () => {
    home = await newHome();
  });
  afterEach(() => rm(dirname(home), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));

  it('refuses the second while the first lives, naming its process, and leaves the first alone', async () => {
    const first = await startLocalDatabaseProcess(home);
    const second = startProcess({ script: 'test/localdb/run-local-database.ts', args: [home] });
    expect(await second.exited).toEqual({ code: 3, signal: null });
    expect(second.lines.join('\n')).toMatch(new RegExp(`^refused localdb_already_running .*\\b${first.parent.pid}\\b`));
    expect(await adminQuery(first.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    first.parent.kill('SIGINT');
    await first.parent.exited;
  });

  it('lets exactly one of several simultaneous first starts have it', async () => {
    const starts = Array.from({ length: 4 }, () =>
      startProcess({ script: 'test/localdb/run-local-database.ts', args: [home] }),
    );
    const lines = await Promise.all(starts.map((started) => started.waitForLine(/^(ready|refused) /)));
    const ready = lines.filter((line) => line.startsWith('ready '));
    expect(ready).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('refused localdb_already_running '))).toHaveLength(3);
    const [, pid, url] = String(ready[0]).split(' ');
    expect(await adminQuery(String(url), 'select 1 as one')).toEqual([{ one: 1 }]);
    for (const started of starts) started.kill('SIGINT');
    await Promise.all(starts.map(({ exited }) => exited));
    await waitUntilGone('the server', Number(pid));
  });

  it('keeps the server through a Ctrl-C in the terminal until its parent has drained', async () => {
    const { parent, serverPid } = await startLocalDatabaseProcess(home);
    parent.killGroup('SIGINT');
    expect(await parent.exited).toEqual({ code: 0, signal: null });
    expect(parent.lines).toContain('drained');
    await waitUntilGone('the server', serverPid);
    const again = await startLocalDatabaseProcess(home);
    expect(await adminQuery(again.url, 'select count(*)::integer as n from drained')).toEqual([{ n: 1 }]);
    again.parent.kill('SIGINT');
    await again.parent.exited;
  });
});
