import type { Tx } from '@mailroom/db';
import type { EventKey, JsonValue } from '@mailroom/kernel';

/** A message of the outbox that the relay has claimed, as its sink gets it. */
export interface OutgoingMessage {
  /**
   * The outbox id, a decimal string: the same at every attempt and in every process, so it is what a receiver tells duplicates by.
   */
  readonly id: string;
  readonly topic: string;
  readonly aggregate: string;
  /** Integers beyond 2^53 are `bigint`. */
  readonly payload: JsonValue;
  /** The payload as JSON text, digit for digit as it was appended and the same at every attempt. */
  readonly payloadText: string;
  /** The event whose handler appended it. */
  readonly source: EventKey | null;
  readonly createdAt: Date;
  /** The attempt under way, counted from 1. An operator's retry counts from 1 again. */
  readonly attempt: number;
  /**
   * The fencing token, a decimal string: raised by every claim of this message and never reused. Whoever holds an older one has been
   * relieved and can mark nothing; a receiver that keeps the greatest token it saw of a message can refuse it too.
   */
  readonly fencingToken: string;
}

/**
 * What became of one attempt. A sink that throws says `transient`.
 *
 * - `sent`: whoever receives it has it for good. The row becomes `published`, `result` is kept with it.
 * - `transient`: try again, after full jitter, but no sooner than `retryAfterMs`. Uses up an attempt; after the last one the row
 *   becomes `needs_review`.
 * - `postponed`: not now (a rate limit, somebody else is at it); look again after `delayMs`. Burns no attempt.
 * - `permanent`: never. The row becomes `needs_review` at once: it and what follows it of its aggregate wait for a person.
 */
export type SendResult =
  | { readonly outcome: 'sent'; readonly result?: JsonValue; readonly record?: RecordRows }
  | { readonly outcome: 'transient'; readonly reason: string; readonly retryAfterMs?: number }
  | { readonly outcome: 'postponed'; readonly reason: string; readonly delayMs: number }
  | { readonly outcome: 'permanent'; readonly reason: string; readonly record?: RecordRows };

/**
 * Writes rows of the sink's own in the one transaction that marks the outbox row. The relay locks the row, checks that the fencing token
 * is still the sink's, calls this, marks the row and commits: all of it or nothing. It is not called where the token is no longer
 * ours. It is called again, in a new transaction, where the first one failed for the database's sake, so it writes through `tx` and
 * does nothing else. Where it throws for a reason of its own the attempt counts as `transient`.
 */
export type RecordRows = (tx: Tx) => Promise<void>;

/**
 * Where messages go: a receiver, a broker, the log, or an *effect* such as a call of Stripe.
 *
 * `send` may run again for a message it has sent: after a crash, a lost lease, or an answer that never came. So a receiver is given the
 * stable `id`, and an effect looks before it acts:
 *
 *     async send(message, signal) {
 *       const key = idempotencyKeyOf(message);
 *       const known = await findEffectResult(database, key);        // recorded by an earlier attempt
 *       if (known) return { outcome: 'sent', result: known };
 *       const result = await call(key, message.payload, signal);    // outside of any transaction
 *       return { outcome: 'sent', result, record: (tx) => insertEffectResult(tx, key, result) };
 *     }
 *
 * What crashed between the call and `record` is repaired by the next attempt, through the same key. Messages of one aggregate are given
 * one after the other, never at once, by one process; those of different aggregates run side by side.
 */
export interface Sink {
  /** For people: in logs, `mailroom outbox` and metrics. */
  readonly name: string;
  /** Must end soon after `signal` aborts: then its time is over, or its lease is lost. What it says after that may not be recorded. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<SendResult>;
  /** Ends connections. Called once, when nothing is being sent. */
  close?(): Promise<void>;
}

/** Which topics a sink takes: `invoice.paid` itself, `invoice.*` whatever begins with `invoice.`, `*` everything. */
export interface SinkRoute {
  readonly topics: readonly string[];
  /** null: nobody takes these, whatever a wider route says. Messages wait as `unrouted` until a worker has a sink for them. */
  readonly sink: Sink | null;
}
