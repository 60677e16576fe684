import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startProcess } from '../support/start-process.ts';
import { billingSecret } from './signed-request.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mailroom-ingest-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it('a wrong configuration is told whole, in plain words, without a stack and without the secret', async () => {
  const secret = ` ${billingSecret}`;
  const { code, errors } = await run({ STRIPE_WEBHOOK_SECRET: secret, PORT: '8o8o', SHUTDOWN_DEADLINE_MS: '-1' });
  expect(code).toBe(1);
  for (const name of ['STRIPE_WEBHOOK_SECRET', 'PORT', 'SHUTDOWN_DEADLINE_MS']) expect(errors).toContain(name);
  expect(errors).not.toContain(billingSecret);
  expect(errors).not.toMatch(/^\s+at /m);
});

it('without a database to find it says what to do', async () => {
  const { code, errors } = await run({});
  expect(code).toBe(1);
  expect(errors).toContain('DATABASE_URL');
  expect(errors).toContain('npm start');
  expect(errors).not.toMatch(/^\s+at /m);
});

it('a port that is taken is named', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const { code, errors } = await run({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', PORT: String(port) });
  taken.close();
  expect(code).toBe(1);
  expect(errors).toContain(`127.0.0.1:${port} (PORT)`);
  expect(errors).not.toMatch(/^\s+at /m);
});

async function run(env: Readonly<Record<string, string>>): Promise<{ code: number | null; errors: string }> {
  const started = startProcess({
    script: 'apps/ingest/src/main.ts',
    cwd: home,
    env: { MAILROOM_HOME: home, STRIPE_WEBHOOK_SECRET: billingSecret, PORT: '0', ADMIN_PORT: '0', ...env },
  });
  const { code } = await started.exited;
  return { code, errors: started.stderr.join('\n') };
}
