import type { IncomingEvent } from '@mailroom/inbox';
import type { Reading } from '@mailroom/providers';

/**
 * The events to store. A delivery that verified but cannot be read becomes one quarantined event: the provider did send it,
 * so it is kept and acknowledged, and read again once the reader is mended.
 */
export function eventsOf(reading: Reading): readonly IncomingEvent[] {
  if (reading.outcome === 'unreadable') return [{ ...reading.event, quarantineReason: reading.reason }];
  return reading.events.map((event) => ({ ...event, quarantineReason: null }));
}
