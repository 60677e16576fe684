import { createHash } from 'node:crypto';
import type { JsonValue } from '@mailroom/kernel';
import { describe, expect, test } from 'vitest';
import { readStripe } from '../src/stripe/read.ts';
import { request } from './request.ts';

describe('a snapshot event', () => {
  test('is named by its id, type, object, time, API version and mode', () => {
    expect(readEvent({ api_version: '2020-03-02', created: 1_642_649_111, livemode: true })).toEqual({
      eventId: 'evt_1',
      eventType: 'invoice.paid',
      objectKey: 'invoice/in_1',
      providerTime: new Date('2022-01-20T03:25:11Z'),
      apiVersion: '2020-03-02',
      account: null,
      livemode: true,
      itemPath: null,
    });
  });

  test('of a connected account has the account in its object key', () => {
    expect(readEvent({ account: 'acct_9' })).toMatchObject({ account: 'acct_9', objectKey: 'acct_9/invoice/in_1' });
    expect(readEvent({ account: null, context: 'acct_9' })).toMatchObject({ objectKey: 'acct_9/invoice/in_1' });
  });

  test('about nothing that has an id has no object key', () => {
    for (const data of [undefined, null, [], {}, { object: null }, { object: { id: 7 } }, { object: { id: '' } }]) {
      expect(readEvent({ data })).toMatchObject({ eventId: 'evt_1', objectKey: null });
    }
  });
});

describe('a thin event', () => {
  const thin = {
    object: 'v2.core.event',
    type: 'v1.invoice.paid',
    created: '2026-02-15T00:27:45.330Z',
    data: undefined,
    related_object: { id: 'in_1', type: 'invoice', url: '/v1/invoices/in_1' },
  };

  test('is named like a snapshot, with the same object key for the same object', () => {
    expect(readEvent(thin)).toMatchObject({
      eventType: 'v1.invoice.paid',
      objectKey: readEvent({}).objectKey,
      providerTime: new Date('2026-02-15T00:27:45.330Z'),
      apiVersion: null,
    });
  });

  test('of a connected account names it by its context', () => {
    const event = readEvent({ ...thin, context: 'acct_9' });
    expect(event).toMatchObject({ account: 'acct_9', objectKey: 'acct_9/invoice/in_1' });
  });

  test('without a related object has no object key', () => {
    for (const related of [undefined, null, 'in_1', { type: 'invoice' }]) {
      expect(readEvent({ ...thin, related_object: related }).objectKey).toBeNull();
    }
  });
});

describe('the event id', () => {
  test('is the hash of the body where the provider gives none that can be printed and stored', () => {
    const ids: JsonValue[] = [
      undefined as never,
      null,
      7,
      {},
      [],
      '',
      'x'.repeat(256),
      'a\0b',
      'a\ud800b',
      'a\nb',
      '\u2028',
    ];
    expect(ids.length).toBe(11);
    for (const id of ids) {
      const body = bodyOf({ id });
      expect(eventOf(body).eventId).toBe(hashOf(body));
    }
  });

  test('of 255 characters or in any script is kept', () => {
    for (const id of ['x'.repeat(255), 'évt 1/2', '事件-1']) expect(readEvent({ id }).eventId).toBe(id);
  });

  test('that looks like a hash is hashed, so it cannot stand for another body', () => {
    const body = bodyOf({ id: hashOf(Buffer.from('another')) });
    expect(eventOf(body).eventId).toBe(hashOf(body));
  });
});

describe('texts and times of any kind', () => {
  test('long or broken texts are cut and mended', () => {
    expect(readEvent({ type: 'x'.repeat(9000) }).eventType).toBe('x'.repeat(255));
    expect(readEvent({ type: 'a\0b\ud800' }).eventType).toBe('a\ufffdb\ufffd');
    expect(readEvent({ type: `${'x'.repeat(254)}😀` }).eventType).toBe(`${'x'.repeat(254)}\ufffd`);
    expect(readEvent({ account: 'a\0', api_version: '\udc00' })).toMatchObject({
      account: 'a\ufffd',
      apiVersion: '\ufffd',
    });
  });

  test('object keys that cannot be stored become hashes and stay apart', () => {
    const keys = ['x'.repeat(300), `${'x'.repeat(300)}y`, 'a\0b', 'a\0c'].map(
      (id) => readEvent({ data: { object: { id, object: 'plan' } } }).objectKey,
    );
    for (const key of keys) expect(key).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(new Set(keys).size).toBe(4);
  });

  test('times outside of what a timestamp can mean are none', () => {
    for (const created of [
      -1,
      1e20,
      253_402_300_800,
      Number.MAX_VALUE,
      '2026',
      'x',
      '2026-13-01T00:00:00Z',
      true,
      {},
      null,
    ]) {
      expect(readEvent({ created }).providerTime).toBeNull();
    }
    expect(readEvent({ created: 253_402_300_799 }).providerTime?.toISOString()).toBe('9999-12-31T23:59:59.000Z');
    expect(readEvent({ created: '2026-01-01T00:00:00+02:00' }).providerTime?.toISOString()).toBe(
      '2025-12-31T22:00:00.000Z',
    );
  });

  test('fields of the wrong kind are none', () => {
    expect(readEvent({ livemode: 'true', account: 7, api_version: {} })).toMatchObject({
      livemode: null,
      account: null,
      apiVersion: null,
    });
  });
});

describe('what is no Stripe event', () => {
  const bodies = [
    '',
    'null',
    '[]',
    '7',
    '"x"',
    '{}',
    '{"object":"list"}',
    '{"object":"event"}',
    '{"object":"event","type":""}',
    '}',
    '\xff',
  ];

  test.each(bodies)('%j is kept under the hash of its bytes, with a reason that quotes nothing', (text) => {
    const body = Buffer.from(text, 'latin1');
    const reading = readStripe(request(body, {}));
    expect(reading).toMatchObject({ outcome: 'unreadable', event: { eventId: hashOf(body), eventType: 'unreadable' } });
    expect(reading.outcome === 'unreadable' && reading.reason.length).toBeGreaterThan(10);
  });
});

function bodyOf(fields: Readonly<Record<string, JsonValue | undefined>>): Buffer {
  const event = {
    id: 'evt_1',
    object: 'event',
    type: 'invoice.paid',
    data: { object: { id: 'in_1', object: 'invoice' } },
  };
  return Buffer.from(JSON.stringify({ ...event, ...fields }));
}

function eventOf(body: Buffer) {
  const reading = readStripe(request(body, {}));
  const [event] = reading.outcome === 'events' ? reading.events : [];
  if (!event) throw new Error(`not read as an event: ${body.toString('latin1')}`);
  return event;
}

function readEvent(fields: Readonly<Record<string, JsonValue | undefined>>) {
  return eventOf(bodyOf(fields));
}

function hashOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
