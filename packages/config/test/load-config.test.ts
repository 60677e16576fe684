import { CodedError } from '@mailroom/kernel';
import { describe, expect, test } from 'vitest';
import { load, problemsOf, stripeSecret, workingDirectory } from './support.ts';

describe('loading the configuration', () => {
  test('without any variable the defaults hold', () => {
    const cwd = workingDirectory();
    const config = load('worker', {}, cwd);
    expect(config).toMatchObject({
      home: `${cwd}/.mailroom`,
      databaseUrl: null,
      release: null,
      logLevel: 'info',
      host: '127.0.0.1',
      port: 8080,
      adminPort: 8081,
      shutdownDeadlineMs: 25_000,
      maxAttempts: 25,
      endpoints: [],
      warnings: [],
    });
    expect(config.worker).toMatchObject({ slots: 10, leaseMs: 60_000, maxInfraRetries: 20 });
    expect(config.ingest).toMatchObject({ answerDeadlineMs: 2000, lockTimeoutMs: 1000, writesInFlight: 3 });
  });

  test('variables are read, and an empty one counts as not set', () => {
    const env = { WORKER_SLOTS: '4', MAILROOM_RELEASE: 'v1.2.3', HOST: '::1', ADMIN_PORT: '0', LOG_LEVEL: '' };
    const config = load('worker', env);
    expect(config).toMatchObject({ release: 'v1.2.3', host: '::1', adminPort: 0, logLevel: 'info' });
    expect(config.worker.slots).toBe(4);
  });

  test('the configuration is frozen all the way down', () => {
    const config = load('ingest', { STRIPE_WEBHOOK_SECRET: stripeSecret });
    for (const part of [
      config,
      config.worker,
      config.endpoints,
      config.endpoints[0],
      config.endpoints[0]?.secrets[0],
    ]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  test('a variable that only another role reads is not looked at', () => {
    expect(load('worker', { PORT: 'eighty', INGEST_LOCK_TIMEOUT_MS: '-', MAILROOM_ENDPOINTS_FILE: 'none' }).port).toBe(
      8080,
    );
    expect(load('ingest', { WORKER_LEASE_MS: '1', STRIPE_WEBHOOK_SECRET: stripeSecret }).worker.leaseMs).toBe(60_000);
    expect(load('ops', { PORT: 'x', HOST: '?', WORKER_SLOTS: '0', STRIPE_WEBHOOK_SECRET: 'x' }).host).toBe('127.0.0.1');
  });

  test('all problems are told at once, a line each: name, what was found, what would be right', () => {
    const env = { PORT: '10s', LOG_LEVEL: 'loud', WORKER_SLOTS: '0', HOST: 'http://x', DATABASE_URL: 'mysql://x' };
    const problems = problemsOf('local', env);
    expect(problems).toHaveLength(5);
    expect(problems).toContain('PORT: found "10s"; right: a whole number from 0 to 65535, digits only');
    expect(problems).toContain('LOG_LEVEL: found "loud"; right: one of debug, info, warn, error, silent');
    for (const problem of problems) expect(problem).toMatch(/^[A-Z_]+: found .+; right: .+$/);
  });

  test('the error is coded', () => {
    expect(() => load('worker', { WORKER_SLOTS: 'x' })).toThrow(CodedError);
    expect(() => load('worker', { WORKER_SLOTS: 'x' })).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  });

  test.each(['10s', '1e3', '0x10', '1_000', '+5', '-1', '05', ' 5', '5 ', '5.0', '5,5', '٥', '99999999999999999999'])(
    'a number is digits and nothing else: %j is refused',
    (text) => {
      expect(problemsOf('worker', { WORKER_SLOTS: text })).toHaveLength(1);
    },
  );

  test('numbers are bounded at both ends', () => {
    expect(load('worker', { ADMIN_PORT: '65535' }).adminPort).toBe(65_535);
    expect(problemsOf('worker', { ADMIN_PORT: '65536' })[0]).toContain('from 0 to 65535');
    expect(problemsOf('worker', { WORKER_LEASE_MS: '99' })[0]).toContain('whole milliseconds from 100 to');
  });

  test('a path is made absolute against the working directory', () => {
    const cwd = workingDirectory();
    expect(load('worker', { MAILROOM_HOME: 'state' }, cwd).home).toBe(`${cwd}/state`);
    expect(load('worker', { MAILROOM_HOME: '/var/lib/mailroom' }, cwd).home).toBe('/var/lib/mailroom');
  });
});

describe('the database URL', () => {
  test.each([
    'postgres://u:p%40ss@db:5432/mailroom?sslmode=require',
    'postgresql:///mailroom?host=/var/run/postgresql',
  ])('%s is taken as it is', (url) => expect(load('worker', { DATABASE_URL: url }).databaseUrl).toBe(url));

  test.each([
    'db:5432/mailroom',
    'http://db/mailroom',
    'postgres://u:pa#ss@db/mailroom',
    'postgres://db:port/x',
    ' postgres://db/x',
  ])('%j is refused without being quoted', (url) => {
    const [problem, ...others] = problemsOf('worker', { DATABASE_URL: url });
    expect(others).toEqual([]);
    expect(problem).toContain('right: postgres://user:password@host:5432/database');
    expect(problem).not.toContain(url.trim());
  });
});

describe('rules between settings', () => {
  test.each([
    ['worker', { WORKER_LEASE_MS: '39999' }, 'WORKER_TRANSACTION_TIMEOUT_MS * 2 <= WORKER_LEASE_MS'],
    [
      'worker',
      { WORKER_STATEMENT_TIMEOUT_MS: '20001' },
      'WORKER_STATEMENT_TIMEOUT_MS <= WORKER_TRANSACTION_TIMEOUT_MS',
    ],
    ['worker', { WORKER_IDLE_IN_TRANSACTION_TIMEOUT_MS: '20001' }, 'WORKER_IDLE_IN_TRANSACTION_TIMEOUT_MS <='],
    ['worker', { WORKER_POLL_MIN_MS: '1001' }, 'WORKER_POLL_MIN_MS <= WORKER_POLL_MAX_MS'],
    ['worker', { WORKER_BACKOFF_CAP_MS: '999' }, 'WORKER_BACKOFF_BASE_MS <= WORKER_BACKOFF_CAP_MS'],
    ['ingest', { INGEST_LOCK_TIMEOUT_MS: '1001' }, 'INGEST_LOCK_TIMEOUT_MS * 2 <= INGEST_ANSWER_DEADLINE_MS'],
    ['ingest', { DATABASE_CONNECT_TIMEOUT_MS: '2001' }, 'DATABASE_CONNECT_TIMEOUT_MS <= INGEST_ANSWER_DEADLINE_MS'],
    ['ingest', { INGEST_WRITES_IN_FLIGHT: '10' }, 'DATABASE_MAX_CONNECTIONS >= INGEST_WRITES_IN_FLIGHT + 1'],
    ['ingest', { INGEST_MAX_WAITING_ROWS: '199' }, 'INGEST_MAX_ROWS_PER_WRITE <= INGEST_MAX_WAITING_ROWS'],
    ['ingest', { INGEST_MAX_WAITING_BYTES: '4194303' }, 'INGEST_MAX_BYTES_PER_WRITE <= INGEST_MAX_WAITING_BYTES'],
    ['ingest', { ADMIN_PORT: '8080' }, 'ADMIN_PORT differs from PORT'],
  ] as const)('%s %j breaks a rule and does not start', (role, env, statement) => {
    const problems = problemsOf(role, { STRIPE_WEBHOOK_SECRET: stripeSecret, ...env });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`right: ${statement}`);
  });

  test('at its very edge a rule holds', () => {
    expect(load('worker', { WORKER_LEASE_MS: '40000' }).worker.leaseMs).toBe(40_000);
  });

  test('a refused value breaks no further rule', () => {
    expect(problemsOf('worker', { WORKER_LEASE_MS: '10s', WORKER_TRANSACTION_TIMEOUT_MS: '40000' })).toHaveLength(1);
  });
});

describe('unknown variables', () => {
  test('a variable that is no setting is a warning, with the name it probably meant', () => {
    const { warnings } = load('worker', { MAILROOM_HOEM: 'x', WORKER_LEASE: '5', MAILROOM_ZEBRA: 'y' });
    expect(warnings).toEqual([
      'MAILROOM_HOEM is not a setting of Mailroom; did you mean MAILROOM_HOME?',
      'MAILROOM_ZEBRA is not a setting of Mailroom',
      'WORKER_LEASE is not a setting of Mailroom; did you mean WORKER_LEASE_MS?',
    ]);
  });

  test("other programs' variables and those that Kubernetes sets for a service named mailroom are none of our business", () => {
    const env = {
      PATH: '/bin',
      WORKER_CONNECTIONS_OF_NGINX: '1',
      MAILROOM_SERVICE_HOST: '10.0.0.1',
      MAILROOM_SERVICE_PORT_HTTP: '80',
      MAILROOM_PORT: 'tcp://10.0.0.1:80',
      MAILROOM_INGEST_PORT_8080_TCP_ADDR: '10.0.0.1',
    };
    expect(load('worker', env).warnings).toEqual([]);
  });
});
