import type { Tx } from '@mailroom/db';
import {
  asObject,
  CodedError,
  type HandlerOutcome,
  type JsonReading,
  type JsonValue,
  readJson,
  reject,
} from '@mailroom/kernel';
import type { LockedEvent } from './sql/lock.ts';

/** What a handler is given. `tx` is revoked when the handler returns. */
export interface HandlerContext {
  readonly tx: Tx;
  readonly event: Omit<LockedEvent, 'body' | 'itemPath'>;
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
  /** Touches nothing but rows of its own object: a worker may interleave events of different objects in one transaction. */
  readonly ownRowsOnly?: true;
  /**
   * Events of one object run one at a time, whatever the number of workers. Those that wait go on in the order in which they came,
   * and none overtakes one that is tried again; which of several that came in one moment begins first is open. One that is
   * exhausted or rejected makes the others `wait` for a person, or lets them `overtake` it.
   */
  readonly serialize?: 'wait' | 'overtake';
  /** Many events in a few statements, several of one object in the order given. One outcome an event, in order. */
  handleMany?(contexts: readonly HandlerContext[]): Promise<readonly HandlerOutcome[]>;
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
 * What a handler is given: the event's own JSON, read out of the delivery's bytes. Where there is nothing to give, the event is
 * refused. `read` is for callers that have many events of one body.
 */
export function contextOf(
  tx: Tx,
  { body, itemPath, ...event }: LockedEvent,
  read: (body: Buffer) => JsonReading = readJson,
): { readonly context: HandlerContext } | { readonly refusal: HandlerOutcome } {
  if (!body) return { refusal: reject('body_expired', 'its body has expired: there is nothing to hand to a handler') };
  const reading = read(body);
  if (reading.outcome === 'not_json') return { refusal: reject('unreadable_body', reading.reason) };
  const payload = valueAt(reading.value, itemPath ?? []);
  if (payload !== undefined) return { context: { tx, event, payload, body } };
  return { refusal: reject('item_missing', `the delivery has nothing at ${itemPath?.join('.')}`) };
}

/** Hands one event to its handler, or refuses it. */
export async function handleEvent(
  handler: EventHandler,
  tx: Tx,
  event: LockedEvent,
  read?: (body: Buffer) => JsonReading,
): Promise<HandlerOutcome> {
  const given = contextOf(tx, event, read);
  return 'refusal' in given ? given.refusal : await handler.handle(given.context);
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
