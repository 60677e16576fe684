import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, type TestContext } from 'vitest';

const run = promisify(execFile);
const model = resolve(import.meta.dirname, 'lease.pml');

/** What Spin must find wrong in the protocol when a part of it is missing: first an assertion of the model, or an endless run. */
const mutations = [
  { without: 'the re-check under the lock', defines: ['NO_RECHECK'], wrong: /assertion violated .*token==worker/ },
  {
    without: 'the re-check and the fence of the completion',
    defines: ['NO_RECHECK', 'NO_FENCE', 'ONLY_EFFECTS'],
    wrong: /assertion violated \(row\[.\]\.effects<=1\)/,
  },
  {
    without: 'the fence of the failure record',
    defines: ['NO_SETTLE_FENCE'],
    wrong: /assertion violated \(\(row\[.\]\.state==1\)==\(row\[.\]\.effects==1\)\)/,
  },
  {
    without: 'the work before its record',
    defines: ['RECORD_FIRST'],
    wrong: /assertion violated \(\(row\[.\]\.state==1\)==\(row\[.\]\.effects==1\)\)/,
  },
  { without: 'anybody who takes over a dead lease', defines: ['NO_TAKEOVER'], wrong: /acceptance cycle/ },
  { without: 'a bound of infrastructure retries', defines: ['UNBOUNDED_INFRA'], wrong: /acceptance cycle/ },
  { without: 'counting an attempt before its work', defines: ['COUNT_LATE'], wrong: /acceptance cycle/ },
] as const;

describe('the lease protocol, in every interleaving of two workers and two events', () => {
  beforeEach((context) => skipWithoutSpin(context));

  it('never has two effects of one event, none without its record, and ends every event', {
    timeout: 300_000,
  }, async () => {
    const found = await verify([], '-O1');
    expect(found).toContain('errors: 0');
    expect(found).not.toContain('search was not completed');
    const states = Number(/(?<states>[\d.e+]+) states, stored/.exec(found)?.groups?.['states']);
    // Far fewer would mean that something is never enabled.
    expect(states).toBeGreaterThan(1_000_000);
  });

  it.each(mutations)('is wrong without $without', { timeout: 120_000 }, async ({ defines, wrong }) => {
    const found = await verify(defines, '-O0');
    expect(found).toMatch(wrong);
    expect(found).toContain('errors: 1');
  });
});

/** Spin writes a verifier in C, which looks at every state and, for what must happen some day, at every endless run. */
async function verify(defines: readonly string[], optimisation: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mailroom-spin-'));
  try {
    await run('spin', [...defines.map((name) => `-D${name}`), '-a', model], { cwd: folder });
    await run('gcc', [optimisation, '-w', '-DVECTORSZ=2048', '-o', 'pan', 'pan.c'], { cwd: folder });
    const { stdout } = await run('./pan', ['-a', '-m1000000', '-n'], { cwd: folder });
    return stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function skipWithoutSpin(context: TestContext): void {
  const missing = ['spin', 'gcc'].filter((program) => spawnSync(program, ['--version']).error !== undefined);
  context.skip(missing.length > 0, `${missing.join(' and ')} not installed (apt-get install spin gcc)`);
}
