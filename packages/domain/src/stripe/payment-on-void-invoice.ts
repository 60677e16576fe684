import type { Tx } from '@mailroom/db';
import { recordAnomaly } from '../record-anomaly.ts';

export interface PaymentOnVoidInvoice {
  readonly payment_event: string;
  readonly void_event: string;
  readonly amount: string | null;
  readonly currency: string | null;
}

/** Money came for an invoice that is void: a person decides whether it is given back or the invoice is made again. */
export async function recordPaymentOnVoidInvoice(
  tx: Tx,
  invoiceKey: string,
  { payment_event, void_event, amount, currency }: PaymentOnVoidInvoice,
): Promise<void> {
  await recordAnomaly(tx, {
    kind: 'payment_on_void_invoice',
    objectKey: invoiceKey,
    detail: { payment_event, void_event, amount, currency },
  });
}
