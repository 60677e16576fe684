import type { Tx } from '@mailroom/db';
import { append } from '@mailroom/outbox';
import type { HandledEvent } from '../handler.ts';
import { recordPaymentOnVoidInvoice } from './payment-on-void-invoice.ts';
import type { Invoice } from './read-invoice.ts';

/**
 * Takes back the payment of an invoice that turns out to be void, if one was booked. The ledger only grows and the message
 * `invoice.paid` may have left, so neither is undone: an entry of the opposite amount and a message
 * `invoice.payment_reversed` answer them, once. Expects the invoice's row lock.
 */
export async function reversePayment(tx: Tx, event: HandledEvent, invoice: Invoice): Promise<void> {
  const payment = await tx
    .selectFrom('ledger_entries')
    .select(['amount', 'currency', 'event_id'])
    .where('invoice_id', '=', invoice.id)
    .where('kind', '=', 'payment')
    .executeTakeFirst();
  if (!payment) return;
  const reversed = await tx
    .insertInto('ledger_entries')
    .values({
      invoice_id: invoice.id,
      kind: 'payment_reversal',
      amount: -BigInt(payment.amount),
      currency: payment.currency,
      provider: event.provider,
      endpoint: event.endpoint,
      event_id: event.eventId,
    })
    .onConflict((conflict) => conflict.columns(['invoice_id', 'kind']).doNothing())
    .returning('entry_id')
    .executeTakeFirst();
  if (!reversed) return;
  await append(tx, {
    topic: 'invoice.payment_reversed',
    aggregate: invoice.key,
    payload: {
      invoice: invoice.id,
      account: event.account,
      customer: invoice.customer,
      subscription: invoice.subscription,
      amount: payment.amount,
      currency: payment.currency,
    },
    source: event,
  });
  await recordPaymentOnVoidInvoice(
    tx,
    { key: invoice.key, amountPaid: BigInt(payment.amount), currency: payment.currency },
    { paymentEvent: payment.event_id, voidEvent: event.eventId },
  );
}
