import type { Tx } from '@mailroom/db';
import type { EventKey, HandlerOutcome, JsonValue } from '@mailroom/kernel';

/** The event as the ledger knows it. */
export interface HandledEvent extends EventKey {
  readonly eventType: string;
  /** What the event is about, or null. */
  readonly objectKey: string | null;
  /** The provider's own time. Often whole seconds, so it orders nothing by itself. */
  readonly providerTime: Date | null;
  readonly apiVersion: string | null;
  /** The connected account, where the provider has such. */
  readonly account: string | null;
  readonly livemode: boolean | null;
}

export interface HandlerContext<Payload = JsonValue> {
  /** The transaction that also records the event as processed. Revoked when the handler returns. */
  readonly tx: Tx;
  readonly event: HandledEvent;
  /** The event's own JSON (of a batch, its item), read without loss: an integer beyond 2^53 is a `bigint`. */
  readonly payload: Payload;
  /** The delivery's exact bytes. */
  readonly body: Buffer;
}

/**
 * What the worker calls for one provider and event type. A handler is run at least once an event and its writes take effect
 * once; it must end in the same state for duplicates and in every order, and never touch anything outside `tx`.
 * See docs/handlers.md.
 */
export interface Handler {
  readonly provider: string;
  readonly eventType: string;
  /** Returns what became of the event; throws to have it tried again with backoff. */
  handle(context: HandlerContext): Promise<HandlerOutcome>;
  /**
   * The handler touches nothing but rows of its own object, so events of different objects may be interleaved in one
   * transaction. Row locks protect nothing from a sibling there: declare it only where it is true.
   */
  readonly ownRowsOnly?: true;
  /** Many events of this type in a few statements, several of one object in the order given. One outcome an event, in order. */
  handleMany?(contexts: readonly HandlerContext[]): Promise<readonly HandlerOutcome[]>;
}
