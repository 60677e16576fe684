import type { PlannedEvent } from './stories.ts';

/** The bytes of an event, no more than its handler reads, so that posting many costs little. */
export function bodyOf({ id, type, created, fate, invoice, raw }: PlannedEvent): Buffer {
  if (raw !== undefined) return Buffer.from(raw);
  const object = {
    id: invoice?.id,
    object: 'invoice',
    status: invoice?.status,
    currency: invoice?.currency,
    amount_due: invoice?.amountDue,
    amount_paid: fate === 'refused' ? 'much' : invoice?.amountPaid,
    attempt_count: invoice?.attemptCount,
    customer: 'cus_chaos',
    subscription: null,
  };
  return Buffer.from(
    JSON.stringify({
      id,
      object: 'event',
      api_version: '2026-07-29.dahlia',
      created,
      livemode: false,
      type,
      data: { object },
    }),
  );
}
