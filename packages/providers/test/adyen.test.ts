import { hmacValidator } from '@adyen/api-library';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { schemeOf } from '../src/index.ts';
import { expectStorable } from './named-event.ts';
import { bitFlips, holds } from './property.ts';
import { request } from './request.ts';
import { fixture, fixtureFiles, fixturesAreAbsent } from './shared-fixtures.ts';

interface Vector {
  readonly name: string;
  readonly key_hex: string;
  readonly item?: object;
  readonly body?: string;
  readonly body_file?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly expected: 'valid' | 'invalid';
}

const scheme = schemeOf('adyen');
const context = { deliveryId: '0198c0de-0000-7000-8000-000000000001', secret: null };
const key = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056';
const foreign = 'DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB01';

describe.skipIf(fixturesAreAbsent)('vectors published by Adyen', () => {
  const vectors = vectorsOf();

  test('all of them are there', () => {
    expect(vectors.length).toBe(13);
    expect(vectors.filter(({ expected }) => expected === 'valid').length).toBe(10);
  });

  test.each(vectors)('$name: $expected', (vector) => {
    const body = bodyOf(vector);
    expect(verify(body, [foreign, vector.key_hex], vector.headers)).toMatchObject(
      vector.expected === 'valid' ? { outcome: 'verified', secretLabel: '1' } : { outcome: 'rejected' },
    );
  });

  const overBody = vectors.filter(({ headers, expected }) => headers !== undefined && expected === 'valid');

  test.each(overBody)('$name: no bit of the body can change', (vector) => {
    const body = bodyOf(vector);
    for (const flip of bitFlips(body)) expect(verify(flip, [vector.key_hex], vector.headers).outcome).toBe('rejected');
    expect(body.length).toBeGreaterThan(100);
  });
});

describe('signed items', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 });
  const plain = text.filter((value) => !value.includes(':'));
  const item = fc.record({
    pspReference: plain,
    originalReference: plain,
    merchantAccountCode: plain,
    merchantReference: text,
    amount: fc.record({ value: fc.integer(), currency: plain }),
    eventCode: plain,
    success: fc.constantFrom('true', 'false'),
  });

  test("are signed and verified as Adyen's own library does it", () => {
    const official = new hmacValidator();
    holds(item, (fields) => {
      const additionalData = { hmacSignature: official.calculateHmac(fields as never, key) };
      expect(verify(notification({ ...fields, additionalData }), [key])).toMatchObject({ outcome: 'verified' });

      const signed = JSON.parse(scheme.sign(notification(fields), key, 0)?.body.toString() ?? '') as Notification;
      const [ours] = signed.notificationItems;
      expect(official.validateHMAC(ours?.NotificationRequestItem as never, key)).toBe(true);
      expect(official.validateHMAC(ours?.NotificationRequestItem as never, foreign)).toBe(false);
    });
  });

  test('are not verified after any one change of a signed field', () => {
    const changed: Readonly<Record<string, unknown>> = {
      pspReference: 'Q',
      originalReference: 'Q',
      merchantAccountCode: 'Q',
      merchantReference: 'Q',
      amount: { value: 11, currency: 'EUR' },
      eventCode: 'REFUND',
      success: 'false',
    };
    const signed = JSON.parse(scheme.sign(notification(plainItem), key, 0)?.body.toString() ?? '') as Notification;
    const right = signed.notificationItems[0]?.NotificationRequestItem;
    expect(verify(notification({ ...right }), [key]).outcome).toBe('verified');
    for (const [field, value] of Object.entries(changed)) {
      expect(verify(notification({ ...right, [field]: value }), [key]).outcome, field).toBe('rejected');
      expect(verify(notification({ ...right, [field]: { odd: 1 } }), [key]).outcome, field).toBe('rejected');
    }
  });

  test('must all be right, or the delivery is refused whole', () => {
    const bodies = [plainItem, { ...plainItem, pspReference: 'P2' }].map((fields) => signedItem(fields));
    const [first, second] = bodies;
    expect(verify(delivery([first, second]), [key]).outcome).toBe('verified');
    const forged = { NotificationRequestItem: { ...second?.NotificationRequestItem, pspReference: 'P3' } };
    for (const items of [
      [first, forged],
      [forged, first],
      [first, { NotificationRequestItem: plainItem }],
      [first, 7],
      [],
    ]) {
      expect(verify(delivery(items), [key]).outcome).toBe('rejected');
    }
  });

  test('cannot be divided anew: the same signed text under another psp reference is refused', () => {
    const captured = signedItem({ ...plainItem, merchantReference: 'R1:R2' }).NotificationRequestItem;
    expect(verify(notification(captured), [key]).outcome).toBe('verified');
    // P::ACCOUNT:R1:R2:... read with other borders.
    const divided = {
      ...captured,
      pspReference: 'P:',
      originalReference: 'ACCOUNT',
      merchantAccountCode: 'R1',
      merchantReference: 'R2',
    };
    expect(verify(notification(divided), [key])).toMatchObject({ reason: 'signature_malformed' });
  });

  test('under two keys of a rotation tell both labels', () => {
    const mixed = [signedItem(plainItem), signedItem({ ...plainItem, pspReference: 'P2' }, foreign)];
    expect(verify(delivery(mixed), [key, foreign])).toEqual({ outcome: 'verified', secretLabel: '0+1' });
  });
});

describe.skipIf(fixturesAreAbsent)('bodies of Adyen', () => {
  const files = fixtureFiles('adyen').filter((path) => !path.includes('/vectors/'));
  const expected: Readonly<Record<string, object>> = {
    'standard/AUTHORISATION.json': {
      eventId: '123456789:AUTHORISATION:true',
      eventType: 'AUTHORISATION',
      objectKey: 'MagentoMerchantTest2/payment/123456789',
      account: 'MagentoMerchantTest2',
      livemode: false,
      providerTime: new Date('2017-01-19T15:42:03Z'),
      itemPath: ['notificationItems', '0', 'NotificationRequestItem'],
    },
    'platforms/balancePlatform.transaction.created.json': {
      eventId: expect.stringMatching(/^sha256:/),
      eventType: 'balancePlatform.transaction.created',
      objectKey: 'YOUR_BALANCE_PLATFORM/balancePlatform.transaction/EVJN42272224222B5JB8BRC84N686ZEUR',
      livemode: false,
      itemPath: null,
    },
    'tokenization/recurring.token.created.json': {
      eventId: 'QBQQ9DLNRHHKGK38',
      objectKey: 'YOUR_MERCHANT_ACCOUNT/recurring.token/M5N7TQ4TG5PFWR50',
    },
  };

  test.each(files)('%s is read as an event about an object', (path) => {
    const reading = scheme.read(request(fixture(path), {}), context);
    expectStorable(reading);
    if (reading.outcome !== 'events') throw new Error('not read');
    expect(reading.events.length).toBe(1);
    expect(reading.events[0]?.objectKey).not.toBeNull();
    expect(reading.events[0]).toMatchObject(expected[path.slice('adyen/'.length)] ?? {});
  });

  test('are all there', () => {
    expect(files.length).toBe(10);
  });
});

interface Notification {
  readonly notificationItems: readonly { readonly NotificationRequestItem: Readonly<Record<string, unknown>> }[];
}

const plainItem = {
  pspReference: 'P',
  merchantAccountCode: 'ACCOUNT',
  merchantReference: 'R',
  amount: { value: 10, currency: 'EUR' },
  eventCode: 'AUTHORISATION',
  success: 'true',
};

function signedItem(fields: object, under = key) {
  const signed = JSON.parse(scheme.sign(notification(fields), under, 0)?.body.toString() ?? '') as Notification;
  const [item] = signed.notificationItems;
  if (item === undefined) throw new Error('nothing signed');
  return item;
}

function notification(item: object): Buffer {
  return delivery([{ NotificationRequestItem: item }]);
}

function delivery(notificationItems: readonly unknown[]): Buffer {
  return Buffer.from(JSON.stringify({ live: 'false', notificationItems }));
}

function verify(body: Buffer, values: readonly string[], headers: Readonly<Record<string, string>> = {}) {
  const secrets = values.map((value, at) => ({ label: String(at), value }));
  const verification = scheme.verify(request(body, headers), secrets, { nowMs: 0, toleranceMs: 0 });
  if (verification instanceof Promise) throw new Error('this scheme fetches nothing');
  return verification;
}

function bodyOf({ item, body, body_file: file }: Vector): Buffer {
  if (item !== undefined) return notification(item);
  return file === undefined ? Buffer.from(body ?? '') : fixture(`adyen/vectors/${file}`);
}

function vectorsOf(): readonly Vector[] {
  if (fixturesAreAbsent) return [];
  return (JSON.parse(fixture('adyen/vectors/vectors.json').toString()) as { vectors: Vector[] }).vectors;
}
