import { type JsonValue, readJson } from '@mailroom/kernel';
import { findProvider, schemeOf } from '@mailroom/providers';
import type { GivenEvent } from './apply-event.ts';

/** The events of a delivery, named and read as on their way through the inbox. Fails where the provider cannot read it. */
export function readEvents(provider: string, body: Buffer): readonly GivenEvent[] {
  const reading = schemeOf(provider).read({ body, headers: new Map() }, { deliveryId: 'test', secret: null });
  const json = readJson(body);
  if (reading.outcome !== 'events' || json.outcome !== 'json') throw new Error(`${provider} cannot read this body`);
  return reading.events.map((event) => ({
    event: { provider, endpoint: 'billing', ...event },
    payload: valueAt(json.value, event.itemPath ?? []),
  }));
}

/** Every sample event of a provider. */
export function sampleEvents(provider: string): readonly GivenEvent[] {
  const samples = Object.values(findProvider(provider)?.samples ?? {});
  return samples.flatMap((sample, index) => {
    const body = sample.body({ tag: `sample${index}`, nowMs: 1_790_000_000_000 });
    return readEvents(provider, Buffer.from(JSON.stringify(body)));
  });
}

function valueAt(value: JsonValue, path: readonly string[]): JsonValue {
  return path.reduce<JsonValue>((at, key) => (at as Record<string, JsonValue>)[key] ?? null, value);
}
