import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { schemeOf } from '../src/index.ts';
import type { CertificateSource } from '../src/provider.ts';
import { certUrl, createPaypalAuthority, messageHost, type PaypalAuthority, signAsPaypal } from './paypal-authority.ts';
import { bitFlips } from './property.ts';
import { request } from './request.ts';
import { fixture, fixturesAreAbsent } from './shared-fixtures.ts';

interface Vector {
  readonly name: string;
  readonly webhook_id: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly cert_url_override?: string;
  readonly expected: 'valid' | 'invalid';
}

const scheme = schemeOf('paypal');
const context = { deliveryId: '0198c0de-0000-7000-8000-000000000001', secret: null };
const webhookId = '4JH86294D6297924G';
const nowMs = Date.parse('2026-11-30T12:00:00Z');
const body = Buffer.from('{"id":"WH-1","event_type":"PAYMENT.SALE.COMPLETED"}');

describe.skipIf(fixturesAreAbsent)("vectors signed by PayPal's sandbox", () => {
  const vectors = vectorsOf();

  test('all of them are there', () => {
    expect(vectors.length).toBe(5);
    expect(vectors.filter(({ expected }) => expected === 'valid').length).toBe(2);
  });

  test.each(vectors)('$name: $expected', async (vector) => {
    const { verify, fetched } = given(vector);
    expect(await verify(Buffer.from(vector.body))).toMatchObject(
      vector.expected === 'valid' ? { outcome: 'verified', secretLabel: 'published' } : { outcome: 'rejected' },
    );
    expect(fetched.length).toBe(vector.cert_url_override === undefined ? 1 : 0);
  });

  test.each(vectors.filter(({ expected }) => expected === 'valid'))('$name: no bit can change', async (vector) => {
    const { verify } = given(vector);
    const flips = bitFlips(Buffer.from(vector.body));
    expect(flips.length).toBeGreaterThan(1000);
    for (const flip of flips) expect((await verify(flip)).outcome).toBe('rejected');
  });

  function given(vector: Vector) {
    const published = fixture('paypal/vectors/sandbox-cert.pem');
    const fetched: string[] = [];
    const certificates: CertificateSource = {
      fetch: (url) => {
        fetched.push(url);
        return Promise.resolve(published);
      },
      // DigiCert's root of 2015 is in no list of today, so the certificate itself is what is trusted.
      roots: [new X509Certificate(published)],
    };
    const headers = { ...vector.headers };
    if (vector.cert_url_override !== undefined) headers['PAYPAL-CERT-URL'] = vector.cert_url_override;
    const sentAt = Date.parse(vector.headers['PAYPAL-TRANSMISSION-TIME'] ?? '');
    const options = { nowMs: sentAt + 1000, toleranceMs: 300_000, certificates };
    const secrets = [
      { label: 'foreign', value: 'ANOTHERWEBHOOKID0' },
      { label: 'published', value: vector.webhook_id },
    ];
    const verify = async (bytes: Buffer) => scheme.verify(request(bytes, headers), secrets, options);
    return { verify, fetched };
  }
});

describe('the certificate', () => {
  let authority: PaypalAuthority;
  beforeAll(async () => {
    authority = await createPaypalAuthority();
  });

  test('is asked for on paypal.com over https only, before anything is fetched', async () => {
    const elsewhere = [
      'https://api.paypal.com.evil.example/c.pem',
      'https://evil.example/paypal.com',
      'https://evilpaypal.com/c.pem',
      'https://paypal.com@evil.example/c.pem',
      'https://user:pass@api.paypal.com/c.pem',
      'http://api.paypal.com/c.pem',
      'https://api.paypal.com:8443/c.pem',
      'https://api.paypal.com\\@evil.example/c.pem',
      'https://paypal.com./c.pem',
      'https://API.PAYPAL.COM/c.pem',
      'file:///etc/passwd',
      'https://[::1]/paypal.com',
      '//api.paypal.com/c.pem',
      `https://api.paypal.com/${'x'.repeat(500)}`,
      '',
    ];
    let fetches = 0;
    const source = {
      ...authority.certificates,
      fetch: () => {
        fetches += 1;
        return Promise.reject(new Error('unreached'));
      },
    };
    for (const url of elsewhere) {
      expect(await verify({ 'paypal-cert-url': url }, source), url).toMatchObject({ outcome: 'rejected' });
    }
    expect(fetches).toBe(0);
    for (const url of ['https://paypal.com/c', 'https://api.paypal.com/c', certUrl]) {
      expect(await verify({ 'paypal-cert-url': url }, source), url).toMatchObject({ outcome: 'unavailable' });
    }
    expect(fetches).toBe(3);
  });

  test("that is out of reach, or is none, is our fault and not the sender's", async () => {
    const garbage = { ...authority.certificates, fetch: () => Promise.resolve(Buffer.from('<html>sorry</html>')) };
    expect(await verify({}, garbage)).toMatchObject({ outcome: 'unavailable' });
    const headers = authority.sign(body, webhookId, nowMs).headers;
    const secrets = [{ label: 'only', value: webhookId }];
    const withoutSource = await scheme.verify(request(body, headers), secrets, { nowMs, toleranceMs: 300_000 });
    expect(withoutSource).toMatchObject({ outcome: 'unavailable' });
  });

  test('must be for messages of PayPal, and valid now', async () => {
    const valid = { notBefore: '2026-01-01', notAfter: '2027-01-01' };
    const hosts = {
      [messageHost]: 'verified',
      'messageverificationcerts.paypal.com': 'verified',
      'www.paypal.com': 'rejected',
    };
    for (const [host, outcome] of Object.entries(hosts)) {
      expect((await verifyUnder({ ...valid, host })).outcome, host).toBe(outcome);
    }
    expect(await verifyUnder({ host: messageHost, notBefore: '2026-01-01', notAfter: '2026-11-29' })).toMatchObject({
      outcome: 'rejected',
      detail: 'a certificate has expired',
    });
    expect(await verifyUnder({ host: messageHost, notBefore: '2026-12-01', notAfter: '2027-11-29' })).toMatchObject({
      detail: 'a certificate is not valid yet',
    });
  });

  test('must lead to a trusted root', async () => {
    const stranger = await createPaypalAuthority();
    const source = { ...stranger.certificates, roots: authority.certificates.roots };
    const { headers } = stranger.sign(body, webhookId, nowMs);
    expect(await verify(headers, source)).toMatchObject({ outcome: 'unavailable' });
    expect(await verify(headers, { ...source, roots: stranger.certificates.roots })).toMatchObject({
      outcome: 'verified',
    });
  });

  async function verifyUnder(leafRequest: Parameters<PaypalAuthority['issue']>[0]) {
    const { leaf, signer } = await authority.issue(leafRequest);
    const file = Buffer.from(`${leaf.toString()}${authority.intermediate}`);
    const { headers } = signAsPaypal(signer, body, webhookId, nowMs);
    return verify(headers, { ...authority.certificates, fetch: () => Promise.resolve(file) });
  }

  test('a signature counts for its webhook id, and for no algorithm but one', async () => {
    const { headers } = authority.sign(body, webhookId, nowMs);
    expect(await verify(headers)).toMatchObject({ outcome: 'verified' });
    expect(await verify(authority.sign(body, 'ANOTHERWEBHOOKID0', nowMs).headers)).toMatchObject({
      reason: 'signature_mismatch',
    });
    expect(await verify({ 'paypal-auth-algo': 'SHA1withRSA' })).toMatchObject({ reason: 'signature_malformed' });
  });

  test('a transmission may be as old as a retry, for its CRC-32 protects no body for ever, and not from the future', async () => {
    const dayMs = 86_400_000;
    for (const [age, outcome] of [
      [0, 'verified'],
      [3 * dayMs, 'verified'],
      [3 * dayMs + 400_000, 'rejected'],
      [-400_000, 'rejected'],
    ] as const) {
      expect((await verify(authority.sign(body, webhookId, nowMs - age).headers)).outcome, String(age)).toBe(outcome);
    }
  });

  async function verify(changed: Readonly<Record<string, string>>, source: CertificateSource = authority.certificates) {
    const headers = { ...authority.sign(body, webhookId, nowMs).headers, ...changed };
    const secrets = [{ label: 'only', value: webhookId }];
    return scheme.verify(request(body, headers), secrets, { nowMs, toleranceMs: 300_000, certificates: source });
  }
});

describe.skipIf(fixturesAreAbsent)('bodies of PayPal', () => {
  test.each(['2015', '2016'])('the sale of %s is named by its own id', (year) => {
    const bytes = fixture(`paypal/PAYMENT.SALE.COMPLETED.${year}.json`);
    const { id, resource } = JSON.parse(bytes.toString()) as { id: string; resource: { id: string } };
    expect(scheme.read(request(bytes, {}), context)).toMatchObject({
      events: [{ eventId: id, eventType: 'PAYMENT.SALE.COMPLETED', objectKey: `sale/${resource.id}`, livemode: false }],
    });
  });
});

function vectorsOf(): readonly Vector[] {
  if (fixturesAreAbsent) return [];
  return (JSON.parse(fixture('paypal/vectors/vectors.json').toString()) as { vectors: Vector[] }).vectors;
}
