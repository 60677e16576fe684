import type { Handler } from '@mailroom/domain';
import type { ClaimedEvent, Work } from '@mailroom/inbox';
import { asObject, type JsonValue, readJson, reject } from '@mailroom/kernel';

/** Finds the handler of an event; undefined: nobody here knows the type, and the event is parked. */
export type FindHandler = (provider: string, eventType: string) => Handler | undefined;

/** Looks handlers up by provider and event type. Throws where two claim the same. */
export function handlerLookup(handlers: readonly Handler[]): FindHandler {
  const byType = new Map<string, Handler>();
  for (const handler of handlers) {
    const name = `${handler.provider} ${handler.eventType}`;
    if (byType.has(name)) throw new Error(`two handlers claim ${name}`);
    byType.set(name, handler);
  }
  return (provider, eventType) => byType.get(`${provider} ${eventType}`);
}

/** The work of one event: read its JSON out of the delivery's bytes and hand it to the handler. */
export function workOf(claimed: ClaimedEvent, handler: Handler): Work {
  const { provider, endpoint, eventId, eventType, objectKey } = claimed;
  return async (tx, locked) => {
    if (!locked.body) return reject('body_missing', 'the body is gone: its retention is over');
    const reading = readJson(locked.body);
    if (reading.outcome === 'not_json') return reject('unreadable_body', reading.reason);
    const payload = valueAt(reading.value, locked.itemPath ?? []);
    if (payload === undefined)
      return reject('item_missing', `the delivery has nothing at ${locked.itemPath?.join('.')}`);
    const { providerTime, apiVersion, account, livemode, body } = locked;
    const event = { provider, endpoint, eventId, eventType, objectKey, providerTime, apiVersion, account, livemode };
    return handler.handle({ tx, event, payload, body });
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
