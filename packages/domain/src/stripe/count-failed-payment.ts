import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';
import type { Invoice } from './read-invoice.ts';

/**
 * Raises the count of failed payments to the attempt that this event reports. Adding 1 an event would count two Event objects
 * for one failure twice; Stripe's own number, greatest first, is the same in every order. It counts the first attempt and the
 * automatic retries, not what somebody tried by hand in between (docs.stripe.com/api/invoices/object, `attempt_count`).
 */
export async function countFailedPayment(tx: Tx, invoice: Invoice): Promise<void> {
  const attempts = Math.max(invoice.attemptCount, 1);
  await tx
    .updateTable('invoices')
    .set({ failed_payments: attempts, updated_at: sql`now()` })
    .where('invoice_id', '=', invoice.id)
    .where('failed_payments', '<', attempts)
    .execute();
}
