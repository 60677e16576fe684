import { describe, expect, test } from 'vitest';
import { readStripe } from '../src/stripe/read.ts';
import { expectStorable } from './named-event.ts';
import { request } from './request.ts';
import { fixture, fixtureFiles, fixturesAreAbsent } from './shared-fixtures.ts';

describe.skipIf(fixturesAreAbsent)('fixtures of Stripe', () => {
  const files = fixtureFiles('stripe').filter((path) => !path.includes('/vectors/'));
  const inEnvelope = files.filter((path) => path.includes('/envelopes/'));
  const events = files.filter((path) => !inEnvelope.includes(path));

  test('are all there', () => {
    expect(events.length).toBeGreaterThanOrEqual(30);
    expect(inEnvelope.length).toBe(2);
  });

  test.each(events)('%s is named as its fields say', (path) => {
    const body = fixture(path);
    const reading = readStripe(request(body, {}));
    expectStorable(reading);
    const { subject, ...event } = plainReading(body);
    expect(reading).toEqual({
      outcome: 'events',
      events: [
        {
          eventId: event.id,
          eventType: event.type,
          objectKey: subject,
          providerTime: new Date(typeof event.created === 'number' ? event.created * 1000 : event.created),
          apiVersion: event.api_version ?? null,
          account: event.account ?? event.context ?? null,
          livemode: event.livemode,
          itemPath: null,
        },
      ],
    });
  });

  // Stripe signs no envelope: EventBridge and Event Grid bring their own delivery, which this provider does not speak.
  test.each(inEnvelope)('%s is no Stripe delivery', (path) => {
    expect(readStripe(request(fixture(path), {}))).toMatchObject({ outcome: 'unreadable' });
  });
});

describe.skipIf(fixturesAreAbsent)('hostile bodies as Stripe events', () => {
  const named = {
    'big-integers.json': { eventId: 'evt_h8', objectKey: null },
    'bom.json': { eventId: 'evt_h12' },
    'created-out-of-range.json': { eventId: 'evt_h22', providerTime: null },
    'crlf-pretty.json': { eventId: 'evt_h14' },
    'deep-nesting-20000.json': { eventId: 'evt_h11' },
    'escaped-slash.json': { eventId: 'evt_h21' },
    'id-not-string.json': { eventId: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    'id-very-long.json': { eventId: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    'line-separators.json': { eventId: 'evt_h20' },
    'lone-high-surrogate.json': { eventId: 'evt_h5' },
    'trailing-newline.json': { eventId: 'evt_h13' },
    'u0000-value.json': { eventId: 'evt_h1' },
  };
  const unreadable = [
    'array-top.json',
    'empty.json',
    'invalid-utf8.json',
    'latin1.json',
    'nan-infinity.json',
    'not-json.txt',
    'null-top.json',
    'raw-nul-byte.json',
  ];

  test('are all expected by name', () => {
    const files = fixtureFiles('_hostile').map((path) => path.slice('_hostile/'.length));
    expect([...Object.keys(named), ...unreadable, 'manifest.json'].toSorted()).toEqual(files);
  });

  describe.each(Object.entries(named))('%s', (file, expected) => {
    test('is an event', () => {
      const reading = readStripe(request(fixture(`_hostile/${file}`), {}));
      expect(reading).toMatchObject({ outcome: 'events', events: [{ eventType: 'x', ...expected }] });
    });
  });

  test.each(unreadable)('%s is unreadable', (file) => {
    const reading = readStripe(request(fixture(`_hostile/${file}`), {}));
    expect(reading).toMatchObject({ outcome: 'unreadable', event: { eventId: expect.stringMatching(/^sha256:/) } });
  });
});

interface PlainEvent {
  readonly id: string;
  readonly type: string;
  readonly created: number | string;
  readonly api_version?: string | null;
  readonly account?: string;
  readonly context?: string;
  readonly livemode: boolean;
  readonly data?: { readonly object: { readonly id?: string; readonly object: string } };
  readonly related_object?: { readonly id: string; readonly type: string };
}

function plainReading(body: Buffer): PlainEvent & { readonly subject: string | null } {
  const event = JSON.parse(body.toString('utf8')) as PlainEvent;
  const id = event.data?.object.id ?? event.related_object?.id;
  const type = event.data?.object.object ?? event.related_object?.type;
  const account = event.account ?? event.context;
  return { ...event, subject: id === undefined ? null : [account, type, id].filter(Boolean).join('/') };
}
