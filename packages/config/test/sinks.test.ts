import { describe, expect, test } from 'vitest';
import { describeConfig } from '../src/describe-config.ts';
import { secretsOf } from '../src/load-config.ts';
import { load, problemsOf, providers, workingDirectory } from './support.ts';

const file = 'mailroom.sinks.json';
const key = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const env = { BILLING_KEY: key, NATS_TOKEN: 'the-token-of-nats' };
const billing = {
  name: 'billing',
  type: 'http',
  topics: ['invoice.*', 'refund.booked'],
  url: 'https://billing.example/hooks/path-that-is-nobodys-business',
  secrets: ['env:BILLING_KEY'],
};

function problemsWith(...sinks: readonly unknown[]): readonly string[] {
  const cwd = workingDirectory({ [file]: { sinks } });
  return problemsOf('worker', env, cwd).map((line) => line.replace(`${cwd}/${file}: `, ''));
}

describe('the sinks file', () => {
  test('sinks of every type are read with their defaults and secrets', () => {
    const creds = '-----BEGIN NATS USER JWT-----\nabc\n------END NATS USER JWT------\n';
    const bus = {
      name: 'bus',
      type: 'nats',
      topics: ['*'],
      servers: ['tls://nats.example:4222'],
      token: 'env:NATS_TOKEN',
    };
    const cwd = workingDirectory({
      [file]: {
        sinks: [
          billing,
          { ...bus, subjectPrefix: 'mailroom.' },
          { ...bus, name: 'bus2', topics: ['a'], token: undefined, credentials: 'file:./nats.creds' },
          { name: 'rest', type: 'log', topics: ['debug.*'] },
        ],
      },
      'nats.creds': creds,
    });
    const config = load('worker', env, cwd);
    const [http, nats, second, log] = config.sinks;
    expect(http).toMatchObject({
      type: 'http',
      topics: ['invoice.*', 'refund.booked'],
      connectTimeoutMs: 5_000,
      timeoutMs: 10_000,
      allowPrivateAddresses: false,
      giveUpOn: [410],
      idPrefix: '',
    });
    expect(http?.type === 'http' && [http.url, http.secrets[0]?.value]).toEqual([billing.url, key]);
    expect(nats?.type === 'nats' && [nats.subjectPrefix, nats.token?.value]).toEqual(['mailroom.', env.NATS_TOKEN]);
    expect(second?.type === 'nats' && second.credentials?.value).toBe(creds.replace(/\n$/, ''));
    expect(log).toEqual({ name: 'rest', type: 'log', topics: ['debug.*'] });
    expect(secretsOf(config)).toEqual(expect.arrayContaining([key, env.NATS_TOKEN]));
  });

  test('without a file there are no sinks; a file that a variable names must exist', () => {
    expect(load('worker', env).sinks).toEqual([]);
    expect(load('worker', env).outbox).toMatchObject({ relay: true, unrouted: 'keep' });
    expect(problemsOf('worker', { MAILROOM_SINKS_FILE: 'none.json' })[0]).toMatch(
      /MAILROOM_SINKS_FILE: found that .*none\.json/,
    );
  });

  test('everything that is wrong is told at once, and where', () => {
    const problems = problemsWith(
      { ...billing, name: 'Bad Name', topics: ['a b'], secrets: ['env:NOT_SET'], timeoutMs: 'soon', colour: 1 },
      { name: 'x', type: 'kafka' },
      { ...billing, url: 'http://billing.example/', topics: ['y'], name: 'plain' },
    );
    const text = problems.join('\n');
    for (const expected of [
      /sinks\[0\]\.name: found "Bad Name"/,
      /sinks\[0\]\.topics: found a list; right: a list of topics/,
      /sinks\[0\]\.secrets\[0\]: found that NOT_SET is not set/,
      /sinks\[0\]\.timeoutMs: found "soon"/,
      /sinks\[0\]: found the unknown key "colour"/,
      /sinks\[1\]\.type: found "kafka"; right: one of "http", "nats", "log"/,
      /sinks\[2\]\.url: found a text of \d+ characters \(not shown\); right: https:/,
    ]) {
      expect(text).toMatch(expected);
    }
  });

  test('a topic goes to one sink, a name is used once', () => {
    expect(problemsWith(billing, { ...billing, topics: ['other', 'invoice.*'] })).toEqual([
      'sinks[1].name: found "billing" again; right: a name of its own',
      'sinks[1].topics[1]: found "invoice.*", which sinks[0] takes; right: each topic once: a message goes to one sink',
    ]);
  });

  test.each([
    ['not base64', 'whsec_?????'],
    ['too short', `whsec_${Buffer.alloc(8).toString('base64')}`],
    ['another make', 'a-secret-of-no-make-at-all-0123456789'],
  ])('a secret that is no Standard Webhooks secret is refused: %s', (_what, value) => {
    const cwd = workingDirectory({ [file]: { sinks: [billing] } });
    const [problem] = problemsOf('worker', { BILLING_KEY: value }, cwd);
    expect(problem).toContain('sinks[0].secrets[0]');
    expect(problem).not.toContain(value);
  });

  test('a private receiver may be spoken to without encryption, when it is allowed', () => {
    const cwd = workingDirectory({
      [file]: { sinks: [{ ...billing, url: 'http://10.0.0.1/', allowPrivateAddresses: true }] },
    });
    expect(load('worker', env, cwd).sinks).toHaveLength(1);
  });

  test('a timeout that the relay would cut short is refused', () => {
    const cwd = workingDirectory({ [file]: { sinks: [{ ...billing, timeoutMs: 20_000 }] } });
    expect(problemsOf('worker', env, cwd)[0]).toMatch(/OUTBOX_SEND_TIMEOUT_MS: found 15000, less than timeoutMs 20000/);
  });

  test('the description tells where messages go and where secrets are, and neither a secret nor the path', () => {
    const cwd = workingDirectory({ [file]: { sinks: [billing] } });
    const { sinks } = describeConfig('worker', { env, cwd, providers });
    expect(sinks).toEqual([
      {
        name: 'billing',
        type: 'http',
        topics: ['invoice.*', 'refund.booked'],
        target: 'https://billing.example',
        secretsFrom: ['env:BILLING_KEY'],
        file: `${cwd}/${file}`,
      },
    ]);
    expect(JSON.stringify(load('worker', env, cwd))).not.toContain('nobodys-business');
  });
});
