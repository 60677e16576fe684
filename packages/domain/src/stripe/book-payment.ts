import type { Tx } from '@mailroom/db';
import { append } from '@mailroom/outbox';
import type { HandledEvent } from '../handler.ts';
import { recordAnomaly } from '../record-anomaly.ts';
import type { PaidInvoice } from './read-invoice.ts';

/**
 * Books the payment of an invoice once and, only then, appends `invoice.paid`: two Event objects for one payment, or the same
 * event on two endpoints, make one entry and one message. Expects the invoice's row lock.
 *
 * An invoice paid with nothing (a trial, a credit that covers all) is booked with an amount of 0: whoever waits for
 * `invoice.paid` waits for these too, and the entry is what makes the message leave once. It moves no balance.
 */
export async function bookPayment(tx: Tx, event: HandledEvent, invoice: PaidInvoice): Promise<void> {
  const booked = await tx
    .insertInto('ledger_entries')
    .values({
      invoice_id: invoice.id,
      kind: 'payment',
      amount: invoice.amountPaid,
      currency: invoice.currency,
      provider: event.provider,
      endpoint: event.endpoint,
      event_id: event.eventId,
    })
    .onConflict((conflict) => conflict.columns(['invoice_id', 'kind']).doNothing())
    .returning('entry_id')
    .executeTakeFirst();
  if (!booked) return await compareWithBooked(tx, invoice);
  await append(tx, {
    topic: 'invoice.paid',
    aggregate: invoice.key,
    payload: {
      invoice: invoice.id,
      account: event.account,
      customer: invoice.customer,
      subscription: invoice.subscription,
      // Text, so that no reader rounds it.
      amount: invoice.amountPaid.toString(),
      currency: invoice.currency,
    },
    source: event,
  });
}

// An invoice is paid once, so every event about it names one amount. Should two differ, the first stays booked and a person
// is told: which of them is true is not ours to guess.
async function compareWithBooked(tx: Tx, invoice: PaidInvoice): Promise<void> {
  const payment = await tx
    .selectFrom('ledger_entries')
    .select(['amount', 'currency'])
    .where('invoice_id', '=', invoice.id)
    .where('kind', '=', 'payment')
    .executeTakeFirstOrThrow();
  const amounts = [`${payment.amount} ${payment.currency}`, `${invoice.amountPaid} ${invoice.currency}`].toSorted();
  if (amounts[0] === amounts[1]) return;
  await recordAnomaly(tx, {
    kind: 'payment_amounts_differ',
    objectKey: invoice.key,
    detail: { amounts: amounts.join(', ') },
  });
}
