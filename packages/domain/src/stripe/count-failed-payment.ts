import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';
import type { ShownInvoice } from './apply-invoice.ts';

/**
 * Raises the count of failed payments to the attempt that the events report. Adding 1 an event would count two Event objects
 * for one failure twice; Stripe's own number, greatest first, is the same in every order. It counts the first attempt and the
 * automatic retries, not what somebody tried by hand in between (docs.stripe.com/api/invoices/object, `attempt_count`).
 */
export async function countFailedPayments(tx: Tx, events: readonly ShownInvoice[]): Promise<void> {
  await sql`
    update invoices set failed_payments = reported.attempts, updated_at = now()
    from (
      select invoice_id, max(attempts) as attempts
      from unnest(
        ${events.map(({ payload: invoice }) => invoice.id)}::text[],
        ${events.map(({ payload: invoice }) => Math.max(invoice.attemptCount, 1))}::int4[]
      ) as failed (invoice_id, attempts)
      group by invoice_id
    ) as reported
    where invoices.invoice_id = reported.invoice_id and invoices.failed_payments < reported.attempts`.execute(tx);
}
