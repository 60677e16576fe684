import type { Tx } from '@mailroom/db';
import {
  asObject,
  CodedError,
  type EventKey,
  type HandlerOutcome,
  type JsonReading,
  type JsonValue,
  readJson,
  reject,
} from '@mailroom/kernel';
import type { LockedEvent } from './sql/lock.ts';

/** What the ledger knows of an event without its delivery. */
export interface KnownEvent extends EventKey {
  readonly eventType: string;
  /** What the event is about, or null. */
  readonly objectKey: string | null;
}

/** What a handler is given. `tx` is revoked when the handler returns. */
export interface HandlerContext {
  readonly tx: Tx;
  readonly event: KnownEvent & Omit<LockedEvent, 'body' | 'itemPath'>;
  /** The event's own JSON (of a batch, its item), read without loss: an integer beyond 2^53 is a `bigint`. */
  readonly payload: JsonValue;
  /** The delivery's exact bytes. */
  readonly body: Buffer;
}

/** A handler as the inbox sees it: whatever has this shape, the handlers of `@mailroom/domain` among others. */
export interface EventHandler {
  readonly provider: string;
  readonly eventType: string;
  /** Runs in the transaction that records its outcome, and writes through `tx` only. A throw rolls everything back. */
  handle(context: HandlerContext): Promise<HandlerOutcome>;
}

/** The handler, already chosen. Runs inside the processing transaction and must write through `tx` only. */
export type Work = (tx: Tx, event: LockedEvent) => Promise<HandlerOutcome>;

/** Finds the handler of an event; undefined: nobody here knows the type. */
export type FindHandler<Handler extends EventHandler> = (provider: string, eventType: string) => Handler | undefined;

/** Looks handlers up by provider and event type. Throws `handler_claimed_twice` where two claim the same. */
export function handlerLookup<Handler extends EventHandler>(handlers: readonly Handler[]): FindHandler<Handler> {
  const byType = new Map<string, Handler>();
  for (const handler of handlers) {
    const name = `${handler.provider} ${handler.eventType}`;
    if (byType.has(name)) throw new CodedError('handler_claimed_twice', `two handlers claim ${name}`);
    byType.set(name, handler);
  }
  return (provider, eventType) => byType.get(`${provider} ${eventType}`);
}

/**
 * The work of one event: read its JSON out of the delivery's bytes and hand it to the handler. An event that cannot be read
 * is rejected. `read` is for callers that have many events of one body.
 */
export function workOf(known: KnownEvent, handler: EventHandler, read: (body: Buffer) => JsonReading = readJson): Work {
  const { provider, endpoint, eventId, eventType, objectKey } = known;
  return async (tx, { body, itemPath, providerTime, apiVersion, account, livemode }) => {
    if (!body) return reject('body_missing', 'the body is gone: its retention is over');
    const reading = read(body);
    if (reading.outcome === 'not_json') return reject('unreadable_body', reading.reason);
    const payload = valueAt(reading.value, itemPath ?? []);
    if (payload === undefined) return reject('item_missing', `the delivery has nothing at ${itemPath?.join('.')}`);
    const event = { provider, endpoint, eventId, eventType, objectKey, providerTime, apiVersion, account, livemode };
    return await handler.handle({ tx, event, payload, body });
  };
}

/** Reads each body once as long as the same one is asked for. */
export function readingOnce(): (body: Buffer) => JsonReading {
  let last: { readonly body: Buffer; readonly reading: JsonReading } | undefined;
  return (body) => {
    if (last?.body !== body) last = { body, reading: readJson(body) };
    return last.reading;
  };
}

function valueAt(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const step of path) at = isList(at) ? at[Number(step)] : asObject(at)?.[step];
  return at;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
