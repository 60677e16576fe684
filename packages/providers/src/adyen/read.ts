import { asObject, type JsonValue, readJson } from '@mailroom/kernel';
import { boundedText, isPlainName, plainNameOf } from '../bounded-text.ts';
import { eventIdOf, hashOf } from '../event-id.ts';
import type { NamedEvent, RawRequest, Reading } from '../provider.ts';
import { timeFromText } from '../provider-time.ts';
import { unreadable } from '../unreadable.ts';
import { itemsOf, type JsonObject } from './item.ts';

/** Names the events of a standard notification, one an item, or the one event of any other webhook of Adyen's. */
export function readAdyen({ body }: RawRequest): Reading {
  const json = readJson(body);
  if (json.outcome === 'not_json') return unreadable(body, json.reason);
  const message = asObject(json.value);
  if (!message) return unreadable(body, 'the body is JSON, but not an object');
  const items = itemsOf(message);
  if (items === null) return readEvent(message, body);
  if (items.length === 0) return { outcome: 'handshake', name: 'empty_batch', answer: accepted };

  const live = message['live'];
  const livemode = live === undefined ? null : live === 'true' || live === true;
  const bodyHash = hashOf(body);
  // The same item twice in one delivery is one event: its name is made of what is signed.
  const events = new Map<string, NamedEvent>();
  for (const [at, item] of items.entries()) {
    const event = itemEvent(item, at, livemode, bodyHash);
    if (!events.has(event.eventId)) events.set(event.eventId, event);
  }
  return { outcome: 'events', events: [...events.values()] };
}

/** Any 2xx is enough today, and older integrations wait for this word (docs.adyen.com, "Handle webhook events"). */
export const accepted = { status: 200, body: '[accepted]', contentType: 'text/plain' };

/** Only psp and original reference, account, merchant reference, amount, code and success are signed. */
function itemEvent(item: JsonObject | null, at: number, livemode: boolean | null, bodyHash: string): NamedEvent {
  const path = ['notificationItems', String(at), 'NotificationRequestItem'];
  const unsigned = { objectKey: null, providerTime: null, apiVersion: null, account: null, livemode, itemPath: path };
  const place = `${bodyHash}/${at}`;
  if (item === null) {
    const step = path.slice(0, 2);
    return {
      ...unsigned,
      eventId: place,
      eventType: 'unreadable',
      itemPath: step,
      unreadable: 'the item is no object',
    };
  }
  const pspReference = textOf(item['pspReference']);
  const eventCode = textOf(item['eventCode']);
  // A duplicate has the same three; an authorisation that failed and then succeeded has not.
  const id = [pspReference, eventCode, successOf(item)].join(':');
  const payment = textOf(item['originalReference']) ?? pspReference;
  const account = textOf(item['merchantAccountCode']);
  return {
    ...unsigned,
    eventId: pspReference === null || eventCode === null || !isPlainName(id) ? place : id,
    eventType: boundedText(eventCode) ?? 'untyped',
    objectKey: payment === null ? null : plainNameOf(join(account, `payment/${payment}`)),
    providerTime: timeFromText(item['eventDate']),
    account: boundedText(account),
  };
}

/** Platforms, management, tokenization: `{type, environment, data}`, with an `eventId` in some of them only. */
function readEvent(message: JsonObject, body: Buffer): Reading {
  const eventType = boundedText(message['type']);
  if (eventType === null) return unreadable(body, 'the body is a JSON object, but no webhook of Adyen');
  const data = asObject(message['data']) ?? {};
  const { environment } = message;
  const account = textOf(data['balancePlatform']) ?? textOf(data['merchantAccount']) ?? textOf(data['merchantId']);
  const named = {
    // `data.id` is the object's, the same for every change of it; the hash of the bytes tells changes apart.
    eventId: eventIdOf(message['eventId'], body),
    eventType,
    objectKey: subjectKey(account, eventType, data),
    providerTime:
      timeFromText(message['timestamp']) ?? timeFromText(message['createdAt']) ?? timeFromText(data['creationDate']),
    apiVersion: boundedText(data['version']),
    account: boundedText(account),
    livemode: typeof environment === 'string' ? environment === 'live' : null,
    itemPath: null,
  };
  return { outcome: 'events', events: [named] };
}

/** `balancePlatform.transaction/EVJ...`: the id of the object itself, else of the nearest thing that has one. */
function subjectKey(account: string | null, type: string, data: JsonObject): string | null {
  const kind = type.slice(0, type.lastIndexOf('.')) || type;
  const own = textOf(data['id']) ?? textOf(data['storedPaymentMethodId']);
  if (own !== null) return plainNameOf(join(account, `${kind}/${own}`));
  for (const field of ['accountHolder', 'balanceAccount', 'transfer', 'paymentInstrument']) {
    const id = textOf(asObject(data[field])?.['id']);
    if (id !== null) return plainNameOf(join(account, `${field}/${id}`));
  }
  return account === null ? null : plainNameOf(`${account}/${kind}`);
}

/** `"true"` or `"false"`; some senders write a boolean. */
function successOf({ success }: JsonObject): string {
  return typeof success === 'string' || typeof success === 'boolean' ? String(success) : '';
}

function join(account: string | null, subject: string): string {
  return account === null ? subject : `${account}/${subject}`;
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
