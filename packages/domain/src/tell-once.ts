import type { Tx } from '@mailroom/db';
import { append, type OutboxMessage } from '@mailroom/outbox';

export interface ToldMessage extends OutboxMessage {
  /** Which fact about the aggregate this message tells, 1 to 255 characters: the same fact is told once for good. */
  readonly fact: string;
}

/**
 * Appends a message unless the same fact was told before, and says whether it did. Two transactions that would tell one fact
 * at once: the second waits for the first and tells it only where that one rolls back.
 *
 * Use it where no business row can only be written once. Where one is (a ledger entry), append when that row was written.
 */
export async function tellOnce(tx: Tx, { fact, ...message }: ToldMessage): Promise<boolean> {
  const told = await tx
    .insertInto('told_facts')
    .values({ aggregate: message.aggregate, topic: message.topic, fact })
    .onConflict((conflict) => conflict.columns(['aggregate', 'topic', 'fact']).doNothing())
    .returning('fact')
    .executeTakeFirst();
  if (!told) return false;
  await append(tx, message);
  return true;
}
