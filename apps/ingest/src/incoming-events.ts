import type { IncomingEvent } from '@mailroom/inbox';
import type { Reading } from '@mailroom/providers';

/**
 * The events to store. A delivery that verified but cannot be read becomes one quarantined event: the provider did send it,
 * so it is kept and acknowledged, and read again once the reader is mended.
 */
export function eventsOf(content: Content): readonly IncomingEvent[] {
  if (content.outcome === 'unreadable') return [{ ...content.event, quarantineReason: content.reason }];
  return content.events.map(({ unreadable = null, ...event }) => ({ ...event, quarantineReason: unreadable }));
}

type Content = Exclude<Reading, { readonly outcome: 'handshake' }>;
