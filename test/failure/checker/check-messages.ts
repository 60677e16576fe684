import type { ClientBase } from 'pg';
import type { Difference } from './difference.ts';

/** A message as its receiver took it. */
export interface ReceivedMessage {
  /** The header `webhook-id`. */
  readonly id: string;
  readonly topic: string;
  readonly aggregate: string;
  readonly body: string;
}

/** What became of the outbox's messages. */
export interface MessageCounts {
  readonly rows: number;
  readonly received: number;
  /** Received with the id of an earlier one. */
  readonly duplicates: number;
  readonly lost: number;
  readonly outOfOrder: number;
}

export interface CheckedMessages {
  readonly counts: MessageCounts;
  readonly differences: readonly Difference[];
}

interface OutboxRow {
  readonly id: string;
  readonly topic: string;
  readonly aggregate: string;
  readonly state: string;
  /** The event whose handler appended it. */
  readonly event: string;
}

/**
 * Every message of the outbox was received at least once and is marked so, nothing else was, each duplicate is the first one again, and
 * the first ones of an aggregate came in the order of their ids. Takes what was received in the order in which it was.
 */
export async function checkMessages(
  client: ClientBase,
  received: readonly ReceivedMessage[],
): Promise<CheckedMessages> {
  const { rows } = await client.query<OutboxRow>(
    `select outbox_id::text as id, topic, aggregate, state, coalesce(event_id, aggregate) as event from outbox`,
  );
  const firsts = new Map<string, ReceivedMessage>();
  for (const message of received) if (!firsts.has(message.id)) firsts.set(message.id, message);
  const known = new Map(rows.map((row) => [row.id, row]));
  const lost = rows.filter(({ id }) => !firsts.has(id)).map(({ id, event }) => at('lost', event, id, 'never received'));
  const outOfOrder = [...Map.groupBy(firsts.values(), ({ aggregate }) => aggregate).values()].flatMap(overtaken);
  return {
    counts: {
      rows: rows.length,
      received: received.length,
      duplicates: received.length - firsts.size,
      lost: lost.length,
      outOfOrder: outOfOrder.length,
    },
    differences: [
      ...lost,
      ...outOfOrder,
      ...rows
        .filter(({ state }) => state !== 'published')
        .map(({ id, event, state }) => at('wrong state', event, id, `is ${state}, must be published`)),
      ...received.flatMap((message) => checkReceived(message, firsts.get(message.id), known.get(message.id))),
    ],
  };
}

function checkReceived(
  message: ReceivedMessage,
  first: ReceivedMessage | undefined,
  row: OutboxRow | undefined,
): readonly Difference[] {
  const { id, topic, aggregate } = message;
  if (!row) return [at('unexpected', aggregate, id, 'received, and not in the outbox')];
  const same = topic === row.topic && aggregate === row.aggregate && message.body === first?.body;
  return same ? [] : [at('wrong state', row.event, id, `received as ${topic} of ${aggregate}: ${message.body}`)];
}

/** Of one aggregate: what came after a message with a greater id. */
function overtaken(messages: readonly ReceivedMessage[]): readonly Difference[] {
  let greatest = 0n;
  return messages.flatMap(({ id, aggregate }) => {
    if (BigInt(id) < greatest) return [at('out of order', aggregate, id, `first received after ${greatest}`)];
    greatest = BigInt(id);
    return [];
  });
}

function at(kind: Difference['kind'], key: string, id: string, detail: string): Difference {
  return { kind, key, detail: `message ${id}: ${detail}` };
}
