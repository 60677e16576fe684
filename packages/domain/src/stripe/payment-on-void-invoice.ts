import type { Tx } from '@mailroom/db';
import { recordAnomaly } from '../record-anomaly.ts';
import type { Invoice } from './read-invoice.ts';

export interface PaymentOnVoidInvoice {
  readonly paymentEvent: string;
  readonly voidEvent: string;
}

/** Money came for an invoice that is void: a person decides whether it is given back or the invoice is made again. */
export async function recordPaymentOnVoidInvoice(
  tx: Tx,
  { key, amountPaid, currency }: Pick<Invoice, 'key' | 'amountPaid' | 'currency'>,
  { paymentEvent, voidEvent }: PaymentOnVoidInvoice,
): Promise<void> {
  await recordAnomaly(tx, {
    kind: 'payment_on_void_invoice',
    objectKey: key,
    detail: {
      payment_event: paymentEvent,
      void_event: voidEvent,
      amount: amountPaid?.toString() ?? null,
      currency,
    },
  });
}
