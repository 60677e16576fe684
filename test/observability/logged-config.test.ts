import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, secretsOf } from '@mailroom/config';
import { createLogger } from '@mailroom/observability';
import { providers } from '@mailroom/providers';
import { afterAll, expect, test } from 'vitest';

const cwd = mkdtempSync(join(tmpdir(), 'mailroom-logged-config-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const secret = 'whsec_Q0RFRkdISUpLTE1OT1BRUlNUVVZX';
const password = 'correct-horse-battery';
const env = { STRIPE_WEBHOOK_SECRET: secret, DATABASE_URL: `postgres://app:${password}@db/mailroom` };
const config = loadConfig('ingest', { env, cwd, providers });

test('a configuration that is logged whole, or in parts, shows no secret even to a logger that knows none', () => {
  const output = written([], (log) => {
    log.info('config_warning', { config, endpoints: config.endpoints, one: config.endpoints[0]?.secrets[0] });
    log.info('config_warning', { ...config });
    log.child({ config }).info('config_warning');
  });
  expect(output).toContain('billing');
  expect(output).not.toMatch(/Q0RF|correct-horse/);
});

test('whatever carries a configured secret into a log line, it is struck out', () => {
  const [label, value, url] = [
    config.endpoints[0]?.secrets[0]?.label,
    config.endpoints[0]?.secrets[0]?.value,
    config.databaseUrl,
  ];
  const output = written(secretsOf(config), (log) => {
    log.error('delivery_failed', {
      error: new Error(`bad key ${value}`),
      detail: `connect ${url}`,
      hint: password,
      label,
    });
  });
  expect(output).toContain('"label":"env"');
  expect(output).not.toMatch(/Q0RF|correct-horse/);
});

function written(secrets: readonly string[], use: (log: ReturnType<typeof createLogger>) => void): string {
  let output = '';
  use(createLogger({ level: 'debug', name: 'test', secrets, destination: { write: (line) => void (output += line) } }));
  return output;
}
