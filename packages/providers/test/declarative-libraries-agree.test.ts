import { sign as octokitSign, verify as octokitVerify } from '@octokit/webhooks-methods';
import { Paddle } from '@paddle/paddle-node-sdk';
import * as fc from 'fast-check';
import { WebhooksHelper } from 'square';
import { describe, expect, test } from 'vitest';
import { schemeOf } from '../src/index.ts';
import { holdsAsync } from './property.ts';
import { request } from './request.ts';

/**
 * The providers' own libraries, over what they agree on: well-formed text that is not empty. (They decode bodies or refuse
 * empty ones; the fixtures and the contract tests say what happens to the rest.)
 */
const body = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
  fc.jsonValue().map((value) => JSON.stringify(value)),
);
const key = fc.stringMatching(/^[A-Za-z0-9_-]{16,40}$/);
const url = fc.webUrl({ validSchemes: ['https'], withQueryParameters: true });

describe('@octokit/webhooks-methods', () => {
  const scheme = schemeOf('github');

  test('verifies what we sign, and we what it signs', async () => {
    await holdsAsync(fc.tuple(body, key, key), async ([text, secret, other]) => {
      fc.pre(secret !== other);
      const ours = signatureOf(scheme.sign(Buffer.from(text), secret, 0), 'x-hub-signature-256');
      expect(await octokitVerify(secret, text, ours)).toBe(true);
      expect(await octokitVerify(other, text, ours)).toBe(false);

      const headers = { 'x-hub-signature-256': await octokitSign(secret, text) };
      expect(await outcomeOf(scheme, text, headers, secret)).toBe('verified');
      expect(await outcomeOf(scheme, text, headers, other)).toBe('rejected');
    });
  });
});

describe('square', () => {
  test('verifies what we sign for its URL, and nothing for another', async () => {
    await holdsAsync(fc.tuple(body, key, url, url), async ([text, secret, notificationUrl, otherUrl]) => {
      fc.pre(notificationUrl !== otherUrl);
      const scheme = schemeOf('square', { url: notificationUrl });
      const headers = scheme.sign(Buffer.from(text), secret, 0)?.headers ?? {};
      const signatureHeader = headers['x-square-hmacsha256-signature'] ?? '';
      const given = { requestBody: text, signatureHeader, signatureKey: secret };
      expect(await WebhooksHelper.verifySignature({ ...given, notificationUrl })).toBe(true);
      expect(await WebhooksHelper.verifySignature({ ...given, notificationUrl: otherUrl })).toBe(false);
      expect(await outcomeOf(scheme, text, headers, secret)).toBe('verified');
      expect(await outcomeOf(schemeOf('square', { url: otherUrl }), text, headers, secret)).toBe('rejected');
    });
  });
});

describe('@paddle/paddle-node-sdk', () => {
  const paddle = new Paddle('not-used');
  const scheme = schemeOf('paddle');

  test('verifies what we sign now, and under no other secret', async () => {
    await holdsAsync(fc.tuple(body, key, key), async ([text, secret, other]) => {
      fc.pre(secret !== other);
      // Its clock is the machine's, and nothing else can be given.
      const nowMs = Date.now();
      const headers = scheme.sign(Buffer.from(text), secret, nowMs)?.headers ?? {};
      const header = headers['paddle-signature'] ?? '';
      expect(await paddle.webhooks.isSignatureValid(text, secret, header)).toBe(true);
      expect(await paddle.webhooks.isSignatureValid(text, other, header)).toBe(false);
      expect(await outcomeOf(scheme, text, headers, secret, nowMs)).toBe('verified');
      expect(await outcomeOf(scheme, text, headers, other, nowMs)).toBe('rejected');
    });
  });

  test('looks at the last h1 only; here a right one counts wherever it stands, as a rotation sends it', async () => {
    const nowMs = Date.now();
    const signed = scheme.sign(Buffer.from('{}'), 'the-secret', nowMs)?.headers['paddle-signature'] ?? '';
    const header = `${signed};h1=${'0'.repeat(64)}`;
    expect(await paddle.webhooks.isSignatureValid('{}', 'the-secret', header)).toBe(false);
    expect(await outcomeOf(scheme, '{}', { 'paddle-signature': header }, 'the-secret', nowMs)).toBe('verified');
  });
});

type OpenScheme = ReturnType<typeof schemeOf>;

async function outcomeOf(
  scheme: OpenScheme,
  text: string,
  headers: Readonly<Record<string, string>>,
  secret: string,
  nowMs = 0,
): Promise<string> {
  const options = { nowMs, toleranceMs: 300_000 };
  const secrets = [{ label: 'only', value: secret }];
  return (await scheme.verify(request(Buffer.from(text), headers), secrets, options)).outcome;
}

function signatureOf(signed: ReturnType<OpenScheme['sign']>, header: string): string {
  return signed?.headers[header] ?? '';
}
