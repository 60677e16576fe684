import { type JsonValue, readJson } from '@mailroom/kernel';
import { findProvider, type RequestHeaders, schemeOf } from '@mailroom/providers';
import type { GivenEvent } from './apply-event.ts';

/** Unix milliseconds of the samples' story. */
export const sampleNowMs = 1_790_000_000_000;

/** The events of a delivery, named and read as on their way through the inbox. Fails where the provider cannot read it. */
export function readEvents(
  provider: string,
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
): readonly GivenEvent[] {
  const lines: RequestHeaders = new Map(Object.entries(headers).map(([name, value]) => [name, [value]]));
  const reading = schemeOf(provider).read({ body, headers: lines }, { deliveryId: 'test', secret: null });
  const json = readJson(body);
  if (reading.outcome !== 'events' || json.outcome !== 'json') throw new Error(`${provider} cannot read this body`);
  return reading.events.map((event) => ({
    event: { provider, endpoint: 'billing', receivedAt: new Date(sampleNowMs), ...event },
    payload: valueAt(json.value, event.itemPath ?? []),
  }));
}

/** Every sample event of a provider: one story about the same objects, each event once. */
export function sampleEvents(provider: string): readonly GivenEvent[] {
  const samples = Object.values(findProvider(provider)?.samples ?? {});
  const values = { tag: 'sample', nowMs: sampleNowMs };
  const events = samples.flatMap(({ body, headers }) =>
    readEvents(provider, Buffer.from(JSON.stringify(body(values))), headers?.(values)),
  );
  return [...new Map(events.map((given) => [given.event.eventId, given])).values()];
}

function valueAt(value: JsonValue, path: readonly string[]): JsonValue {
  return path.reduce<JsonValue>((at, key) => (at as Record<string, JsonValue>)[key] ?? null, value);
}
