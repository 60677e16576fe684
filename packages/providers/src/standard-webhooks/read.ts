import { asObject, readJson } from '@mailroom/kernel';
import { boundedText, plainNameOf } from '../bounded-text.ts';
import { eventIdOf } from '../event-id.ts';
import { idText } from '../id-text.ts';
import type { RawRequest, Reading } from '../provider.ts';
import { timeFromText } from '../provider-time.ts';
import { unreadable } from '../unreadable.ts';
import { familyOf, onlyLine } from './message.ts';

/**
 * Names the one event of a Standard Webhooks or Svix delivery. The id is signed and the same for every attempt, so it names
 * the event whatever the body is; the body is `{type, timestamp, data}` by recommendation only.
 */
export function readStandardWebhook(request: RawRequest): Reading {
  const { body } = request;
  const eventId = eventIdOf(onlyLine(request, `${familyOf(request)}-id`), body);
  const json = readJson(body);
  const event = json.outcome === 'json' ? asObject(json.value) : undefined;
  if (!event) {
    const reason = json.outcome === 'json' ? 'the body is JSON, but not an object' : json.reason;
    const quarantined = unreadable(body, reason);
    // Not the hash of the bytes: equal bodies under two signed ids are two facts.
    return quarantined.outcome === 'unreadable'
      ? { ...quarantined, event: { ...quarantined.event, eventId } }
      : quarantined;
  }

  const eventType = boundedText(event['type']) ?? 'untyped';
  const named = {
    eventId,
    eventType,
    objectKey: objectKeyOf(eventType, idText(asObject(event['data'])?.['id'])),
    // Not the header's timestamp: that is the time of the attempt.
    providerTime: timeFromText(event['timestamp']),
    apiVersion: null,
    account: null,
    livemode: null,
    itemPath: null,
  };
  return { outcome: 'events', events: [named] };
}

/** `contact/123` for `data.id` 123 of a `contact.created`: the events of one object share all of the type but its last word. */
function objectKeyOf(eventType: string, id: string | null): string | null {
  if (id === null) return null;
  const dot = eventType.lastIndexOf('.');
  return plainNameOf(`${dot > 0 ? eventType.slice(0, dot) : eventType}/${id}`);
}

/** The headers that reading looks at. */
export const readsHeaders: readonly string[] = ['webhook-id', 'svix-id'];
