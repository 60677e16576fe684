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
  /** The connected account or the shop, where the provider has such. */
  readonly account: string | null;
  readonly livemode: boolean | null;
  /** When it was first received, by the database's clock. */
  readonly receivedAt: Date;
  /**
   * SHA-256 of the signed bytes, hex, where the provider does not sign its event ids (Shopify, GitHub): whoever has seen a body
   * can send it again under a fresh id. Keep it beside what must happen once, and look for it first. null: the id is signed.
   */
  readonly bodyHash?: string | null;
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
 * What a handler does where two snapshots of one object bear the same time and show different things, so that nothing says
 * which of them is later:
 * - `refetch`: shows one of them, says so in the row, and asks the provider for the object; the answer is an event of its own.
 * - `keep`: shows the one with the greater event id, in every order of arrival, and leaves an anomaly for a person.
 * - `serialize`: as `keep`, and workers run the events of one object one at a time, so that a handler may compare
 *   `event.receivedAt` with what it has written where the provider says nothing better.
 */
export type TiePolicy = 'refetch' | 'keep' | 'serialize';

/**
 * What the worker calls for one provider and event type. A handler is run at least once an event and its writes take effect
 * once; it must end in the same state for duplicates and in every order, and never touch anything outside `tx`.
 * See docs/handlers.md.
 */
export interface Handler {
  readonly provider: string;
  readonly eventType: string;
  /**
   * Why it is not written yet, for operators. Workers leave it aside and park its events: none is lost, and all are taken up
   * once this is gone.
   */
  readonly parked?: string;
  /** Left out by handlers that no tie can matter to: those that only add. */
  readonly onTie?: TiePolicy;
  /** It takes the lock of its object first; see `HandlerDefinition`. */
  readonly heavy?: true;
  /**
   * It touches no rows but those of its event's own object, so the statements of events with different object keys may be
   * interleaved in one transaction, where row locks protect nothing.
   */
  readonly ownRowsOnly?: true;
  /** Returns what became of the event; throws to have it tried again with backoff. */
  handle(context: HandlerContext): Promise<HandlerOutcome>;
  /**
   * Events of one object run one at a time, whatever the number of workers. Those that wait go on in the order in which they came,
   * and none overtakes one that is tried again; which of several that came in one moment begins first is open. One that is
   * exhausted or rejected makes the others `wait` for a person, or lets them `overtake` it.
   */
  readonly serialize?: 'wait' | 'overtake';
  /**
   * Does many events of this type in a few statements, with the end state of one after another. All contexts share one
   * transaction and stand in claim order; one object may occur several times. One outcome an event, in the same order; for an
   * event that it rejects or snoozes it has written nothing. A throw says nothing about any of them.
   */
  handleMany?(contexts: readonly HandlerContext[]): Promise<readonly HandlerOutcome[]>;
}
