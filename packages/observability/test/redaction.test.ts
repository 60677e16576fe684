import { describe, expect, test } from 'vitest';
import { createLogger } from '../src/logger.ts';

/** None of them is caught by a pattern, only by being known. */
const configured = ['correct-horse-battery', 'Zm9vYmFy/cXV4+w==', 'quo"te\\slash\nline', 'ünïcode-sécret'];

/** Nobody told the logger about these. */
const unknown = {
  stripeSecret: 'whsec_Q0RFRkdISUpLTE1OT1BRUlNUVVZX',
  stripeKey: 'sk_live_51H8xTestKeyTestKeyTestKey',
  signature: 'v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  databasePassword: 'postgres://mailroom:p4ssw0rd!@db.internal/mailroom',
  authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.abc',
  address: 'jane.doe@example.org',
};
const revealing = ['Q0RFRkdI', '51H8xTest', '5257a869', 'p4ssw0rd', 'eyJhbGci', 'jane.doe', 'example.org'];

describe('redaction', () => {
  test('a configured secret appears nowhere: not in the event, names, texts, errors, causes, stacks or bindings', () => {
    for (const secret of configured) {
      const output = everywhere(secret, configured);
      expect(output).toContain('[redacted]');
      for (const form of [secret, JSON.stringify(secret).slice(1, -1)]) expect(output).not.toContain(form);
    }
  });

  test('a secret that contains another is struck out whole', () => {
    const output = everywhere('secret-long-tail', ['secret-long', 'secret-long-tail']);
    expect(output).not.toContain('tail');
  });

  test('what looks like a secret, a signature, a password or an address is struck out though nobody named it', () => {
    const output = Object.values(unknown)
      .map((text) => everywhere(`before ${text} after`, []))
      .join('');
    expect(output).toContain('before');
    for (const piece of revealing) expect(output, piece).not.toContain(piece);
  });

  test('fields whose names speak of secrets or payloads are redacted at any depth', () => {
    const names = [
      'secret',
      'clientSecret',
      'Stripe-Signature',
      'authorization',
      'password',
      'set-cookie',
      'lease_token',
    ];
    for (const name of [...names, 'apiKey', 'private_key', 'body', 'rawBody', 'payload', 'headers', 'email']) {
      const output = write([], (log) =>
        log.info('claim_failed', { [name]: 'PLANTED', in: { [name]: { x: ['PLANTED'] } } }),
      );
      expect(output, name).not.toContain('PLANTED');
      expect(output, name).toContain('[redacted]');
    }
  });

  test('the label of a secret and the reason of a rejection stay readable', () => {
    const fields = { secret_label: '2026-11', reason: 'signature_mismatch', outcome: 'rejected' };
    expect(JSON.parse(write([], (log) => log.info('delivery_rejected', fields)))).toMatchObject(fields);
  });

  test('event ids, digests and keys of events stay readable', () => {
    const key = `stripe/billing/sha256:${'0123456789abcdef'.repeat(4)}`;
    expect(write([], (log) => log.info('attempt_finished', { key }))).toContain(key);
  });
});

/** One text in every place of a log line. */
function everywhere(text: string, secrets: readonly string[]): string {
  return write(secrets, (log) => {
    const error = new Error(text, { cause: new Error(`deep ${text}`) });
    error.stack = `Error: ${text}\n at ${text}`;
    const child = log.child({ bound: text, [text]: 1 });
    child.error(`odd ${text}`, { text, list: [text], nested: { [text]: { text } }, error, thrown: { message: text } });
    log.warn('claim_failed', { error: text, json: { toJSON: () => ({ text }) } });
  });
}

function write(secrets: readonly string[], use: (log: ReturnType<typeof createLogger>) => void): string {
  let output = '';
  const destination = { write: (line: string) => void (output += line) };
  use(createLogger({ level: 'debug', name: 'test', destination, secrets }));
  return output;
}
