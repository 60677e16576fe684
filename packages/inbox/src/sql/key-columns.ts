import type { EventKey } from '@mailroom/kernel';

/** Keys as three parallel arrays, the way every set-based statement takes them. */
export function keyColumns(keys: readonly EventKey[]): [string[], string[], string[]] {
  return [keys.map((key) => key.provider), keys.map((key) => key.endpoint), keys.map((key) => key.eventId)];
}
