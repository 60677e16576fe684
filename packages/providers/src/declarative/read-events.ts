import { createHash } from 'node:crypto';
import { type JsonValue, readJson } from '@mailroom/kernel';
import { boundedText, plainNameOf } from '../bounded-text.ts';
import { eventIdOf } from '../event-id.ts';
import type { NamedEvent, RawRequest, ReadContext, Reading } from '../provider.ts';
import { timeFromSeconds, timeFromText } from '../provider-time.ts';
import { unreadable } from '../unreadable.ts';
import { answerHandshake } from './answer-handshake.ts';
import type { HmacDefinition } from './definition.ts';
import { fillFirst, headersIn, type TemplateSource, valueAt } from './template.ts';

/** Reads a verified delivery as a definition says: a handshake, one event, or the items of a batch. */
export function readEvents(definition: HmacDefinition, request: RawRequest, context: ReadContext): Reading {
  const { body, headers } = request;
  const json = readJson(body);
  if (json.outcome === 'not_json') return unreadable(body, json.reason);
  const source = { json: json.value, headers };
  const handshake = answerHandshake(definition, source, context);
  if (handshake !== null) return handshake;
  if (definition.batch !== undefined) return readBatch(definition, definition.batch, request, source, context);

  const against = contradiction(definition, source);
  if (against !== null) return unreadable(body, against);
  const event = nameEvent(definition, source, body, context.deliveryId);
  if (event === null) return unreadable(body, 'the body does not say what type of event it is');
  return { outcome: 'events', events: [event] };
}

function readBatch(
  definition: HmacDefinition,
  path: string,
  { body, headers }: RawRequest,
  { json }: TemplateSource,
  { deliveryId }: ReadContext,
): Reading {
  const items = valueAt(json, path);
  if (!Array.isArray(items)) return unreadable(body, `the body has no array at ${path}`);
  if (items.length === 0) return { outcome: 'handshake', name: 'empty_batch', answer: { status: 200 } };
  const events = new Map<string, NamedEvent>();
  for (const [index, item] of (items as readonly JsonValue[]).entries()) {
    const place = { itemPath: [...path.split('.'), String(index)] };
    // What names an item that has no id: where it stands, in bytes that a retry repeats.
    const bytes = Buffer.concat([body, Buffer.from(`#${index}`)]);
    const event = nameEvent(definition, { json: item, headers }, bytes, `${deliveryId}/${index}`);
    const named = event ?? { ...nameless(bytes), unreadable: 'the item does not say what type of event it is' };
    // The same id twice in one delivery is the same event twice.
    if (!events.has(named.eventId)) events.set(named.eventId, { ...named, ...place });
  }
  return { outcome: 'events', events: [...events.values()] };
}

/** Null where the event has no type. `signedBytes` name it where it has no id. */
function nameEvent(
  { event, idHeader }: HmacDefinition,
  source: TemplateSource,
  signedBytes: Buffer,
  deliveryId: string,
): NamedEvent | null {
  const eventType = boundedText(fillFirst(event.type, source));
  if (eventType === null) return null;
  const objectKey = fillFirst(event.object, source);
  const isClaim = headersIn(event.id).some((header) => header !== idHeader);
  return {
    eventId: event.signal ? `signal:${deliveryId}` : eventIdOf(fillFirst(event.id, source), signedBytes),
    eventType,
    objectKey: objectKey === null ? null : plainNameOf(objectKey),
    providerTime: timeOf(fillFirst(event.time, source)),
    apiVersion: boundedText(fillFirst(event.apiVersion, source)),
    account: boundedText(fillFirst(event.account, source)),
    livemode: flagOf(fillFirst(event.livemode, source)) ?? not(flagOf(fillFirst(event.testmode, source))),
    itemPath: null,
    ...(isClaim ? { bodyHash: createHash('sha256').update(signedBytes).digest('hex') } : {}),
  };
}

function contradiction({ proof }: HmacDefinition, source: TemplateSource): string | null {
  if (proof === undefined) return null;
  const type = fillFirst(proof.type, source) ?? '';
  const path = Object.hasOwn(proof.paths, type) ? proof.paths[type] : undefined;
  if (path === undefined || valueAt(source.json, path) !== undefined) return null;
  return 'the signed body is not of the type that the headers name';
}

function nameless(bytes: Buffer): NamedEvent {
  const reading = unreadable(bytes, '');
  if (reading.outcome !== 'unreadable') throw new Error('unreadable() reads nothing');
  return reading.event;
}

function timeOf(text: string | null): Date | null {
  if (text === null || !/^\d{1,14}(\.\d{1,9})?$/.test(text)) return timeFromText(text);
  // As seconds this number would be beyond the year 5000; as milliseconds it is 1973 or later.
  const value = Number(text);
  return timeFromSeconds(value >= 1e11 ? value / 1000 : value);
}

function flagOf(text: string | null): boolean | null {
  if (text === 'true') return true;
  return text === 'false' ? false : null;
}

function not(flag: boolean | null): boolean | null {
  return flag === null ? null : !flag;
}
