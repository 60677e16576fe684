import { describe, expect, test } from 'vitest';
import { schemeOf } from '../src/index.ts';
import { expectStorable } from './named-event.ts';
import { request } from './request.ts';
import { fixture, fixtureFiles, fixturesAreAbsent } from './shared-fixtures.ts';

const context = { deliveryId: 'd1', secret: null };

interface Expected {
  readonly eventId: unknown;
  readonly eventType: string;
  readonly objectKey: string | null;
  readonly providerTime: string | null;
  readonly account?: string | null;
}

const hash = expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as unknown;
const delivery = 'f1c8fde0-2a0f-11f0-8de9-0242ac120002';

/** How each body is named; of GitHub with the event that its header says. */
const expected: Readonly<Record<string, Expected | readonly Expected[]>> = {
  'square/webhooks.test_notification.json': {
    eventId: 'ac3ac95b-f97d-458c-a6e6-18981597e05f',
    eventType: 'webhooks.test_notification',
    objectKey: 'MLEFBHHSJGVHD/webhooks/bc368e64-01aa-407e-b46e-3231809b1129',
    providerTime: '2022-07-13T20:30:59.037Z',
    account: 'MLEFBHHSJGVHD',
  },
  'gocardless/events-batch.json': [
    {
      eventId: 'EV00BD05S5VM2T',
      eventType: 'subscriptions.created',
      objectKey: 'subscriptions/SB0003JJQ2MR06',
      providerTime: '2018-07-05T09:13:51.404Z',
    },
    {
      eventId: 'EV00BD05TB8K63',
      eventType: 'mandates.created',
      objectKey: 'mandates/MD000AMA19XGEC',
      providerTime: '2018-07-05T09:13:56.893Z',
    },
  ],
  'paddle/customer.created.json': {
    eventId: 'evt_01h8441jx8x1q971q9ksksqh82',
    eventType: 'customer.created',
    objectKey: 'ctm_01h8441jn5pcwrfhwh78jqt8hk',
    providerTime: '2023-08-18T10:46:18.792Z',
  },
  'xero/events.json': [
    {
      eventId:
        'c2cc9b6e-0000-4000-8000-000000000000/CONTACT/717f2bfc-0000-4000-8000-000000000000/UPDATE/2026-01-10T01:15:39.902',
      eventType: 'CONTACT.UPDATE',
      objectKey: 'c2cc9b6e-0000-4000-8000-000000000000/CONTACT/717f2bfc-0000-4000-8000-000000000000',
      providerTime: '2026-01-10T01:15:39.902Z',
      account: 'c2cc9b6e-0000-4000-8000-000000000000',
    },
  ],
  'slack/event_callback.json': {
    eventId: 'Ev00000000',
    eventType: 'app_mention',
    objectKey: 'T00000000/C00000000',
    providerTime: '2018-01-08T22:12:02.000Z',
    account: 'T00000000',
  },
  'lemonsqueezy/order_created.json': lemon('order_created', 'orders/1', '2023-01-17T12:26:23.000Z', '1'),
  'lemonsqueezy/subscription_created.json': lemon(
    'subscription_created',
    'subscriptions/1',
    '2023-01-17T12:43:51.000Z',
    '2',
  ),
  'lemonsqueezy/subscription_updated.json': lemon(
    'subscription_updated',
    'subscriptions/1',
    '2023-01-17T12:43:51.000Z',
    '2',
  ),
  'lemonsqueezy/subscription_payment_success.json': lemon(
    'subscription_payment_success',
    'subscription-invoices/1',
    '2023-01-18T12:16:24.000Z',
    '1',
  ),
  'github/issues.opened.json': hub('issues.opened', '186853002/1', 'Codertocat'),
  'github/marketplace_purchase.purchased.json': hub('marketplace_purchase.purchased', 'marketplace/18404719', null),
  'github/pull_request.closed.json': hub('pull_request.closed', '186853002/2', 'Codertocat'),
  'github/push.json': hub('push', '186853002/refs/tags/simple-tag', 'Codertocat'),
  'github/release.deleted.json': hub('release.deleted', '186853002/release/17372790', 'Codertocat'),
};

/** Answered and not stored, or no delivery of this scheme; each has a test of its own. */
const elsewhere = new Set([
  'github/ping.json',
  'mollie/classic.form.txt',
  'slack/url_verification.json',
  'zoom/endpoint.url_validation.json',
]);

describe.skipIf(fixturesAreAbsent)('fixtures', () => {
  const folders = ['github', 'gocardless', 'lemonsqueezy', 'mollie', 'paddle', 'slack', 'square', 'xero', 'zoom'];
  const files = folders.flatMap(fixtureFiles).filter((path) => !path.includes('/vectors/') && !elsewhere.has(path));

  test('all of them are there', () => {
    expect(files.length).toBe(20);
  });

  test.each(files)('%s is named as its fields say', (path) => {
    const reading = read(path);
    expectStorable(reading);
    if (reading.outcome !== 'events') throw new Error(`${path} is ${reading.outcome}`);
    const named = reading.events.map((event) => ({
      ...event,
      providerTime: event.providerTime?.toISOString() ?? null,
    }));
    expect(named).toMatchObject([expected[path] ?? ofPaddle(path)].flat());
  });

  test('the items of a batch say where they stand', () => {
    const reading = read('gocardless/events-batch.json');
    expect(reading).toMatchObject({ events: [{ itemPath: ['events', '0'] }, { itemPath: ['events', '1'] }] });
  });

  test('a body of GitHub under another event than its own is kept for a person', () => {
    const body = fixture('github/issues.opened.json');
    const headers = { 'x-github-event': 'push', 'x-github-delivery': delivery };
    expect(schemeOf('github').read(request(body, headers), context)).toMatchObject({ outcome: 'unreadable' });
  });

  test('the id of GitHub is a claim, so the hash of the body goes along with it', () => {
    expect(read('github/push.json')).toMatchObject({
      events: [{ bodyHash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown }],
    });
    const [event] = eventsOf(read('square/webhooks.test_notification.json'));
    expect(event?.bodyHash).toBeUndefined();
  });

  test('a classic webhook of Mollie is not signed, and refused', async () => {
    const body = fixture('mollie/classic.form.txt');
    const verification = await schemeOf('mollie').verify(request(body, {}), [{ label: 'a', value: 'b' }], {
      nowMs: 0,
      toleranceMs: 1000,
    });
    expect(verification).toMatchObject({ outcome: 'rejected', reason: 'signature_missing' });
  });
});

function read(path: string) {
  const [provider = '', file = ''] = path.split('/');
  const [event = ''] = file.split('.');
  const options = provider === 'square' ? { url: 'https://hooks.example.com/square' } : {};
  const headers = provider === 'github' ? { 'x-github-event': event, 'x-github-delivery': delivery } : {};
  return schemeOf(provider, options).read(request(fixture(path), headers), context);
}

function eventsOf(reading: ReturnType<typeof read>) {
  return reading.outcome === 'events' ? reading.events : [];
}

function ofPaddle(path: string): Expected {
  const event = JSON.parse(fixture(path).toString()) as {
    event_id: string;
    event_type: string;
    occurred_at: string;
    data: { id: string };
  };
  return {
    eventId: event.event_id,
    eventType: event.event_type,
    objectKey: event.data.id,
    providerTime: new Date(event.occurred_at).toISOString(),
  };
}

function lemon(eventType: string, objectKey: string, providerTime: string, account: string): Expected {
  return { eventId: hash, eventType, objectKey, providerTime, account };
}

function hub(eventType: string, objectKey: string, account: string | null): Expected {
  return { eventId: delivery, eventType, objectKey, providerTime: null, account };
}
