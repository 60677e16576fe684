import { asObject, type JsonValue, readJson } from '@mailroom/kernel';
import { boundedText, plainNameOf } from '../bounded-text.ts';
import { eventIdOf } from '../event-id.ts';
import { idText } from '../id-text.ts';
import type { RawRequest, Reading } from '../provider.ts';
import { timeFromText } from '../provider-time.ts';
import { unreadable } from '../unreadable.ts';

/** Names the one event of a PayPal delivery. The id is the event's; the transmission id is the attempt's. */
export function readPaypal({ body }: RawRequest): Reading {
  const json = readJson(body);
  if (json.outcome === 'not_json') return unreadable(body, json.reason);
  const event = asObject(json.value);
  if (!event) return unreadable(body, 'the body is JSON, but not an object');
  const eventType = boundedText(event['event_type']);
  if (eventType === null) return unreadable(body, 'the body is a JSON object, but no event of PayPal');

  const resource = asObject(event['resource']) ?? {};
  const resourceType = boundedText(event['resource_type']) ?? 'resource';
  // A dispute has an id of its own name; subscriptions, orders and payments have `id`.
  const id = idText(resource['id']) ?? idText(resource['dispute_id']);
  const named = {
    eventId: eventIdOf(event['id'], body),
    eventType,
    objectKey: id === null ? null : plainNameOf(`${resourceType}/${id}`),
    providerTime: timeFromText(event['create_time']),
    apiVersion: boundedText(event['resource_version']),
    account: boundedText(asObject(resource['payee'])?.['merchant_id']),
    livemode: livemodeOf(event['links']),
    itemPath: null,
  };
  return { outcome: 'events', events: [named] };
}

/** An event says where it lives: at the API or at the API of the sandbox. */
function livemodeOf(links: JsonValue | undefined): boolean | null {
  const listed: readonly JsonValue[] = Array.isArray(links) ? links : [];
  const href = asObject(listed[0])?.['href'];
  if (typeof href !== 'string' || !URL.canParse(href)) return null;
  const { hostname } = new URL(href);
  if (hostname.endsWith('.sandbox.paypal.com')) return false;
  return hostname.endsWith('.paypal.com') ? true : null;
}
