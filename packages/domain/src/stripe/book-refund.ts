import type { Tx } from '@mailroom/db';
import { append } from '@mailroom/outbox';
import type { HandledEvent } from '../handler.ts';
import type { Refund } from './read-refund.ts';

/** Books a refund once and, only then, appends `refund.booked`. Expects the refund's row lock. */
export async function bookRefund(tx: Tx, event: HandledEvent, refund: Refund): Promise<void> {
  if (await addEntry(tx, event, refund, { kind: 'refund', amount: -refund.amount })) {
    await append(tx, messageOf(event, refund, 'refund.booked'));
  }
}

/**
 * Takes back a refund that has failed, if it was booked: the ledger only grows and the message may have left, so an entry of
 * the opposite amount and a message answer them, once. Expects the refund's row lock.
 */
export async function reverseRefund(tx: Tx, event: HandledEvent, refund: Refund): Promise<void> {
  const booked = await tx
    .selectFrom('refund_entries')
    .select('amount')
    .where('refund_id', '=', refund.id)
    .where('kind', '=', 'refund')
    .executeTakeFirst();
  if (!booked) return;
  if (await addEntry(tx, event, refund, { kind: 'refund_reversal', amount: -BigInt(booked.amount) })) {
    await append(tx, messageOf(event, refund, 'refund.reversed'));
  }
}

async function addEntry(
  tx: Tx,
  event: HandledEvent,
  refund: Refund,
  entry: { readonly kind: string; readonly amount: bigint },
): Promise<boolean> {
  const added = await tx
    .insertInto('refund_entries')
    .values({
      refund_id: refund.id,
      ...entry,
      currency: refund.currency,
      provider: event.provider,
      endpoint: event.endpoint,
      event_id: event.eventId,
    })
    .onConflict((conflict) => conflict.columns(['refund_id', 'kind']).doNothing())
    .returning('entry_id')
    .executeTakeFirst();
  return added !== undefined;
}

function messageOf(event: HandledEvent, refund: Refund, topic: string) {
  return {
    topic,
    aggregate: refund.key,
    payload: {
      refund: refund.id,
      account: event.account,
      charge: refund.charge,
      payment_intent: refund.paymentIntent,
      amount: refund.amount.toString(),
      currency: refund.currency,
    },
    source: event,
  };
}
