import { asObject, type JsonValue, readJson } from '@mailroom/kernel';
import { boundedText, plainNameOf } from '../bounded-text.ts';
import { hashOf } from '../event-id.ts';
import type { NamedEvent, RawRequest, Reading } from '../provider.ts';
import { timeFromText } from '../provider-time.ts';
import { unreadable } from '../unreadable.ts';
import { type Found, withoutTwins } from './twins.ts';

/**
 * Splits a Marqeta message: a JSON object of arrays, one a category (`transactions`, `cardtransitions`, ...), documented as
 * one category and ten notifications a message. Neither is relied on: each array that holds objects with a `token` is a
 * batch, whatever its name and length, and every other member goes in whole, so nothing of a body is lost.
 */
export function readMarqeta({ body }: RawRequest): Reading {
  const json = readJson(body);
  if (json.outcome === 'not_json') return unreadable(body, json.reason);
  const message = asObject(json.value);
  if (!message) return unreadable(body, 'the body is JSON, but not an object');
  const members = Object.entries(message).filter(([category]) => category !== 'pings');
  // {"pings":[{"token":"marqeta","payload":"healthcheck"}]} asks whether anybody is there (Core API, "Ping webhook").
  if (members.length === 0) {
    if (Object.hasOwn(message, 'pings')) return handshake('ping');
    return unreadable(body, 'the body is a JSON object with nothing in it');
  }
  const bodyHash = hashOf(body);
  const events = withoutTwins(members.flatMap(([category, member]) => foundIn(category, member, bodyHash)));
  return events.length > 0 ? { outcome: 'events', events } : handshake('empty_batch');
}

function handshake(name: string): Reading {
  return { outcome: 'handshake', name, answer: { status: 200 } };
}

function foundIn(category: string, member: JsonValue, bodyHash: string): Found[] {
  if (Array.isArray(member)) {
    const items: readonly JsonValue[] = member;
    if (items.length === 0) return [];
    if (items.some((item) => tokenOf(item) !== null)) {
      return items.map((item, at) => found(category, item, [category, String(at)], bodyHash));
    }
  }
  return [found(category, member, [category], bodyHash)];
}

function found(category: string, item: JsonValue, path: readonly string[], bodyHash: string): Found {
  // What has no token is named by its place in these very bytes, which a retry repeats.
  const place = plainNameOf(`${bodyHash}/${path.join('/')}`);
  return { item, place, event: named(category, item, path, place) };
}

function named(category: string, item: JsonValue, path: readonly string[], place: string): NamedEvent {
  const fields = asObject(item) ?? {};
  const token = tokenOf(item);
  const kind = boundedText(fields['type']) ?? boundedText(fields['state']) ?? boundedText(fields['status']);
  return {
    // The token names one notification: a clearing has its own, and the authorization's under another name.
    eventId: token === null ? place : plainNameOf(`${category}/${token}`),
    eventType: boundedText(kind === null ? category : `${category}.${kind}`) ?? 'untyped',
    objectKey: objectKeyOf(fields),
    providerTime: timeFromText(fields['created_time']),
    apiVersion: null,
    account: null,
    livemode: null,
    // A path that no column holds leads to the whole body instead.
    itemPath: path.every((step) => boundedText(step) === step) ? path : null,
  };
}

function tokenOf(item: JsonValue): string | null {
  return textOf(asObject(item)?.['token']);
}

/** The card, else the account holder, whose balance the event moves: what every message about one purchase shares. */
function objectKeyOf(fields: { readonly [key: string]: JsonValue }): string | null {
  for (const subject of ['card', 'user', 'business', 'account']) {
    const token = textOf(fields[`${subject}_token`]);
    if (token !== null) return plainNameOf(`${subject}/${token}`);
  }
  return null;
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
