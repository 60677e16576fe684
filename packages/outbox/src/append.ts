import type { Tx } from '@mailroom/db';
import type { EventKey, JsonValue } from '@mailroom/kernel';
import { sql } from 'kysely';
import { writeJson } from './write-json.ts';

/** What is to leave the database. */
export interface OutboxMessage {
  /** What happened, for whoever subscribes: `invoice.paid`. 1 to 255 characters. */
  readonly topic: string;
  /** What it happened to: `stripe:invoice:in_123`. Messages of one aggregate leave in the order of their ids. 1 to 255 characters. */
  readonly aggregate: string;
  /** A `bigint` is stored exactly. Readers in JavaScript may still round it, so money is better written as a string. */
  readonly payload: JsonValue;
  /** The event whose handler says so. */
  readonly source?: EventKey;
  /** Not sent before then. Left out: as soon as may be. */
  readonly availableAt?: Date;
}

/**
 * Appends a message in the caller's transaction and returns its outbox id, a decimal string. The message exists if and only
 * if that transaction commits; sending it is the relay's work, at least once, after the commit. Does not deduplicate: append
 * only when the business row that the message reports was really written.
 * Throws the database's error when the topic or the aggregate is out of bounds, or when the payload holds what `jsonb`
 * refuses (U+0000, a lone surrogate).
 */
export async function append(tx: Tx, message: OutboxMessage): Promise<string> {
  const { outbox_id } = await tx
    .insertInto('outbox')
    .values(rowOf(message))
    .returning('outbox_id')
    .executeTakeFirstOrThrow();
  return outbox_id;
}

/** As `append`, many in one statement: their ids in the order of the messages, which is the order in which they leave. */
export async function appendMany(tx: Tx, messages: readonly OutboxMessage[]): Promise<readonly string[]> {
  if (messages.length === 0) return [];
  const rows = await tx.insertInto('outbox').values(messages.map(rowOf)).returning('outbox_id').execute();
  return rows.map(({ outbox_id }) => outbox_id);
}

function rowOf(message: OutboxMessage) {
  return {
    topic: message.topic,
    aggregate: message.aggregate,
    payload: sql<string>`${writeJson(message.payload)}::jsonb`,
    provider: message.source?.provider ?? null,
    endpoint: message.source?.endpoint ?? null,
    event_id: message.source?.eventId ?? null,
    ...(message.availableAt && { available_at: message.availableAt }),
  };
}
