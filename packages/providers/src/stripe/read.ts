import { asObject, type JsonValue, readJson } from '@mailroom/kernel';
import { boundedText, plainNameOf } from '../bounded-text.ts';
import { eventIdOf } from '../event-id.ts';
import type { RawRequest, Reading } from '../provider.ts';
import { timeFromSeconds, timeFromText } from '../provider-time.ts';
import { unreadable } from '../unreadable.ts';

/**
 * Names the one event of a Stripe delivery. Snapshot events (`object: "event"`) carry the object they are about under
 * `data.object`; thin events (`object: "v2.core.event"`, also for v1 resources) only point to it under `related_object`.
 */
export function readStripe({ body }: RawRequest): Reading {
  const json = readJson(body);
  if (json.outcome === 'not_json') return unreadable(body, json.reason);
  const event = asObject(json.value);
  if (!event) return unreadable(body, 'the body is JSON, but not an object');
  const subject = subjectOf(event);
  if (!subject) return unreadable(body, 'the body is a JSON object, but not a Stripe event');
  const eventType = boundedText(event['type']);
  if (eventType === null) return unreadable(body, 'the Stripe event has no type');

  const account = accountOf(event);
  const named = {
    eventId: eventIdOf(event['id'], body),
    eventType,
    objectKey: objectKeyOf(account, subject),
    providerTime: timeFromSeconds(event['created']) ?? timeFromText(event['created']),
    apiVersion: boundedText(event['api_version']),
    account: boundedText(account),
    livemode: typeof event['livemode'] === 'boolean' ? event['livemode'] : null,
    itemPath: null,
  };
  return { outcome: 'events', events: [named] };
}

interface Subject {
  readonly type: string | null;
  readonly id: string | null;
}

/** What the event is about, without id or type where it says neither; undefined when this is no Stripe event. */
function subjectOf(event: JsonObject): Subject | undefined {
  if (event['object'] === 'event') {
    const object = asObject(asObject(event['data'])?.['object']);
    return { type: textOf(object?.['object']), id: textOf(object?.['id']) };
  }
  if (event['object'] === 'v2.core.event') {
    const related = asObject(event['related_object']);
    return { type: textOf(related?.['type']), id: textOf(related?.['id']) };
  }
  return undefined;
}

/** The connected account: named `account` in snapshot events, `context` in thin ones and those of an organization. */
function accountOf(event: JsonObject): string | null {
  return textOf(event['account']) ?? textOf(event['context']);
}

/**
 * `invoice/in_123`, or `acct_9/invoice/in_123` for a connected account. The type is part of it because people choose the
 * ids of plans and coupons themselves; a thin event's `related_object` has the same type and id as the snapshot's object.
 */
function objectKeyOf(account: string | null, subject: Subject): string | null {
  if (subject.id === null) return null;
  return plainNameOf([account, subject.type, subject.id].filter((part) => part !== null).join('/'));
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

type JsonObject = { readonly [key: string]: JsonValue };
