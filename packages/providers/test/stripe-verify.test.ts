import { describe, expect, test } from 'vitest';
import { schemeOf } from '../src/registry.ts';
import { signStripe, verifyStripe } from '../src/stripe/signature.ts';
import { request } from './request.ts';

const nowMs = Date.parse('2026-11-30T12:00:00Z');
const now = nowMs / 1000;
const toleranceMs = 300_000;
const secrets = [
  { label: 'new', value: 'whsec_newSecret0123456789abcdefghi' },
  { label: 'old', value: 'whsec_oldSecret0123456789abcdefghi' },
];
const body = Buffer.from('{"id":"evt_1","object":"event","type":"x"}');
const wrong = '0'.repeat(64);

describe('the header', () => {
  test('may hold several v1 signatures in any order', () => {
    const { t, v1 } = signedAt(now);
    for (const header of [`${t},v1=${wrong},${v1}`, `${t},${v1},v1=${wrong}`, `v1=${wrong},${v1},${t}`]) {
      expect(verify([header])).toEqual({ outcome: 'verified', secretLabel: 'new' });
    }
  });

  test('may come in several lines, of which any can be the right one', () => {
    const { t, v1 } = signedAt(now);
    const bad = `t=${now - 10},v1=${wrong}`;
    for (const lines of [
      [bad, `${t},${v1}`],
      [`${t},${v1}`, bad],
      ['', 'nonsense', `${t},${v1}`],
    ]) {
      expect(verify(lines)).toMatchObject({ outcome: 'verified' });
    }
  });

  test('may have had its lines joined by a proxy', () => {
    const { t, v1 } = signedAt(now);
    expect(verify([`t=${now - 10},v1=${wrong}, ${t},${v1}`])).toMatchObject({ outcome: 'verified' });
  });

  test('is not read without bound', () => {
    const { t, v1 } = signedAt(now);
    const filler = Array.from({ length: 2000 }, (_, at) => `t=${now - at}`);
    expect(verify([...filler, `${t},${v1}`])).toMatchObject({ reason: 'signature_malformed' });
    expect(verify([`${filler.join(',')},${v1}`])).toMatchObject({ reason: 'signature_malformed' });
    expect(verify([`${t},${`v1=${wrong},`.repeat(2000)}${v1}`])).toMatchObject({ reason: 'signature_mismatch' });
  });

  test('must hold a timestamp of digits only', () => {
    const { v1 } = signedAt(now);
    for (const t of ['t=', 't', `t=${now}abc`, `t=+${now}`, `t=${now}.0`, `t=-${now}`, 't=0x1', 't=1e9', `T=${now}`]) {
      expect(verify([`${t},${v1}`])).toMatchObject({ reason: 'signature_malformed' });
    }
  });

  test('must hold a v1 signature of lower-case hex; other schemes are not accepted in its place', () => {
    const { t, v1, hex } = signedAt(now);
    for (const field of [
      `v0=${hex}`,
      `v2=${hex}`,
      `V1=${hex}`,
      `v1=${hex.toUpperCase()}`,
      `v1=${hex}00`,
      'v1=',
      'v1',
    ]) {
      expect(verify([`${t},${field}`])).toMatchObject({ reason: 'signature_malformed' });
    }
    expect(verify([`${t},v1=${hex.slice(1)},${v1}`])).toMatchObject({ outcome: 'verified' });
  });

  test('missing and empty are told apart', () => {
    expect(verify([])).toMatchObject({ reason: 'signature_missing' });
    expect(verify([''])).toMatchObject({ reason: 'signature_malformed' });
  });
});

describe('the timestamp', () => {
  test('may lie as far as the tolerance in the past and in the future, and no further', () => {
    for (const offset of [-300, 0, 300])
      expect(verify([headerAt(now + offset)])).toMatchObject({ outcome: 'verified' });
    expect(verify([headerAt(now - 301)])).toMatchObject({ reason: 'timestamp_stale', detail: 'signed 301 s ago' });
    expect(verify([headerAt(now + 301)])).toMatchObject({ reason: 'timestamp_future' });
  });

  test('is judged only under a right signature', () => {
    expect(verify([`t=${now - 9000},v1=${wrong}`])).toMatchObject({ reason: 'signature_mismatch' });
  });

  test('a stale line does not spoil a fresh one', () => {
    expect(verify([headerAt(now - 9000), headerAt(now)])).toMatchObject({ outcome: 'verified' });
    expect(verify([headerAt(now - 9000), headerAt(now + 9000)])).toMatchObject({ reason: 'timestamp_stale' });
  });

  test('of any size is answered', () => {
    for (const digits of ['0', '999999999999']) expect(verify([headerAt(digits)]).outcome).toBe('rejected');
    expect(verify([headerAt('9'.repeat(400))])).toMatchObject({ reason: 'signature_malformed' });
  });
});

describe('the secrets', () => {
  test('are all tried, and the label of the one that is right is told', () => {
    expect(verify([headerAt(now, secrets[1]?.value)])).toEqual({ outcome: 'verified', secretLabel: 'old' });
  });

  test('are used whole, prefix included and not decoded', () => {
    const [first] = secrets;
    expect(verify([headerAt(now, first?.value.slice('whsec_'.length))])).toMatchObject({
      reason: 'signature_mismatch',
    });
  });

  test('of the wrong form are refused at the start', () => {
    for (const value of [
      '',
      'webhook_secret',
      'sk_test_0123456789abcdef0123456789',
      'whsec_short',
      'whsec_a b'.padEnd(40, 'x'),
    ]) {
      expect(schemeOf('stripe').secretProblem(value)).not.toBeNull();
    }
    for (const length of [24, 32, 64])
      expect(schemeOf('stripe').secretProblem(`whsec_${'a'.repeat(length)}`)).toBeNull();
  });
});

function signedAt(t: number | string, secret = secrets[0]?.value ?? '') {
  // The clock of sign() has only numbers; a test wants any text for t.
  const header = signStripe(body, secret, Number(t) * 1000)?.headers['stripe-signature'] ?? '';
  const hex = header.split('v1=')[1] ?? '';
  return { t: `t=${t}`, v1: `v1=${hex}`, hex };
}

function headerAt(t: number | string, secret?: string): string {
  const { t: time, v1 } = signedAt(t, secret);
  return `${time},${v1}`;
}

function verify(lines: readonly string[]) {
  const headers: Record<string, readonly string[]> = lines.length === 0 ? {} : { 'Stripe-Signature': lines };
  return verifyStripe(request(body, headers), secrets, { nowMs, toleranceMs });
}
