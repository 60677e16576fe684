import { expect } from 'vitest';
import type { NamedEvent, Reading } from '../src/provider.ts';

/** What PostgreSQL's CHECKs ask of every text of an event; a text that breaks them would lose a verified delivery. */
export function expectStorable(reading: Reading): void {
  if (reading.outcome === 'handshake') {
    expect(reading.answer.status).toBe(200);
    return;
  }
  const events = reading.outcome === 'events' ? reading.events : [reading.event];
  expect(events.length).toBeGreaterThan(0);
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length);
  for (const event of events) {
    for (const text of textsOf(event)) {
      expect(text.length).toBeGreaterThan(0);
      expect(Array.from(text).length).toBeLessThanOrEqual(255);
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toContain('\0');
    }
    if (event.providerTime) expect(event.providerTime.toISOString()).toMatch(/^\d{4}-/);
  }
}

function textsOf(event: NamedEvent): string[] {
  return [event.eventId, event.eventType, event.objectKey, event.apiVersion, event.account]
    .concat(event.itemPath ?? [])
    .filter((text) => text !== null);
}
