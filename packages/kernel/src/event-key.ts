import { CodedError } from './coded-error.ts';

/** Names one event in the ledger: the primary key of `webhook_inbox`. */
export interface EventKey {
  readonly provider: string;
  readonly endpoint: string;
  readonly eventId: string;
}

/** Writes a key as people type it: `provider/endpoint/event_id`. */
export function formatEventKey(key: EventKey): string {
  return `${key.provider}/${key.endpoint}/${key.eventId}`;
}

/**
 * Reads `provider/endpoint/event_id`. The event id is everything after the second slash, for providers put slashes in
 * their ids. Throws `bad_event_key`.
 */
export function parseEventKey(text: string): EventKey {
  const [provider, endpoint, ...rest] = text.split('/');
  const eventId = rest.join('/');
  if (!provider || !endpoint || !eventId) {
    throw new CodedError(
      'bad_event_key',
      `"${text}" is not an event key. Write provider/endpoint/event_id, for example stripe/billing/evt_123.`,
    );
  }
  return { provider, endpoint, eventId };
}

/** The order in which locks on several events are taken, everywhere: by provider, endpoint, event id, bytewise. */
export function compareEventKeys(a: EventKey, b: EventKey): number {
  return compare(a.provider, b.provider) || compare(a.endpoint, b.endpoint) || compare(a.eventId, b.eventId);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
