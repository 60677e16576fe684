import type { Scheme } from '@mailroom/providers';

/** A span of time, the end not included. */
export interface TimeWindow {
  readonly since: Date;
  readonly until: Date;
}

/** An event as the endpoint would have received it: the body and the headers that its provider's reader looks at. */
export interface FetchedEvent {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * What a provider can be asked for afterwards. One source is one list: an account of an endpoint. A provider that keeps no list
 * of events may give the present state of its objects in place of them (Shopify).
 *
 * What a source must keep, or a sweep adds what was there already:
 * - an event has the same name, endpoint and account as the webhook would have had, or, where the provider's list cannot
 *   know that name, a name made of the object and its version alone, so that a second sweep makes the same one;
 * - `list` gives everything of the window that has not changed meanwhile, each at least once, in any order.
 */
export interface EventSource {
  readonly provider: string;
  readonly endpoint: string;
  /** The account that is asked for by name; null: the endpoint's own. */
  readonly account: string | null;
  /** Reads the events. */
  readonly scheme: Scheme;
  /** How far back the provider tells, milliseconds. */
  readonly reachMs: number;
  /**
   * How an event is known to have come: `id`, where the webhook had the same; `object_version`, where any event about the object
   * with the same or a later time of the provider has shown as much.
   */
  readonly knownBy: 'id' | 'object_version';
  /** Pages of the window, by the provider's time. Throws `provider_refused` or `provider_unreachable`. */
  list(window: TimeWindow): AsyncIterable<readonly FetchedEvent[]>;
}
