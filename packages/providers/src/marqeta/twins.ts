import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '@mailroom/kernel';
import type { NamedEvent } from '../provider.ts';

/** An event with the JSON it stands for, and the name it would have without a token: its place in these bytes. */
export interface Found {
  readonly event: NamedEvent;
  readonly item: JsonValue;
  readonly place: string;
}

/**
 * Each event once. Items that repeat a token in one message are one event where they say the same; where they differ the
 * later ones are named by their place, for a token that names two things must not make us lose the second.
 */
export function withoutTwins(found: readonly Found[]): NamedEvent[] {
  const byId = new Map<string, Found[]>();
  for (const candidate of found) {
    const { eventId } = candidate.event;
    const same = byId.get(eventId);
    if (same === undefined) byId.set(eventId, [candidate]);
    // Past a few, nobody compares any more: that work would grow with the square of what a sender repeats.
    else if (same.length >= maxCompared || !same.some((known) => saysTheSame(known.item, candidate.item))) {
      same.push(candidate);
    }
  }
  return [...byId.values()].flatMap(([first, ...others]) => [
    ...(first ? [first.event] : []),
    ...others.map(({ event, place }) => ({ ...event, eventId: place })),
  ]);
}

function saysTheSame(a: JsonValue, b: JsonValue): boolean {
  try {
    return isDeepStrictEqual(a, b);
  } catch {
    // Nested too deeply to compare: kept twice rather than lost once.
    return false;
  }
}

const maxCompared = 4;
