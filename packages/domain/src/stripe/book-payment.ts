import type { Tx } from '@mailroom/db';
import { appendMany } from '@mailroom/outbox';
import { recordAnomaly } from '../record-anomaly.ts';
import type { ShownInvoice } from './apply-invoice.ts';
import type { PaidInvoice } from './read-invoice.ts';

/**
 * Books the payment of each invoice once and, only then, appends `invoice.paid`: two Event objects for one payment, or the same
 * event on two endpoints, make one entry and one message. Takes each invoice once and expects the invoices' row locks.
 *
 * An invoice paid with nothing (a trial, a credit that covers all) is booked with an amount of 0: whoever waits for
 * `invoice.paid` waits for these too, and the entry is what makes the message leave once. It moves no balance.
 */
export async function bookPayments(tx: Tx, paid: readonly ShownInvoice<PaidInvoice>[]): Promise<void> {
  if (paid.length === 0) return;
  const booked = await tx
    .insertInto('ledger_entries')
    .values(paid.map(entryOf))
    .onConflict((conflict) => conflict.columns(['invoice_id', 'kind']).doNothing())
    .returning('invoice_id')
    .execute();
  const isNew = new Set(booked.map(({ invoice_id }) => invoice_id));
  await appendMany(tx, paid.filter(({ payload: invoice }) => isNew.has(invoice.id)).map(messageOf));
  const known = paid.filter(({ payload: invoice }) => !isNew.has(invoice.id));
  for (const { payload: invoice } of known) await compareWithBooked(tx, invoice);
}

function entryOf({ event, payload: invoice }: ShownInvoice<PaidInvoice>) {
  return {
    invoice_id: invoice.id,
    kind: 'payment',
    amount: invoice.amountPaid,
    currency: invoice.currency,
    provider: event.provider,
    endpoint: event.endpoint,
    event_id: event.eventId,
  };
}

function messageOf({ event, payload: invoice }: ShownInvoice<PaidInvoice>) {
  return {
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
  };
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
