import { z } from 'zod';
import { decimal, text, time, wholeNumber } from '../payload-fields.ts';

/** An order's payment, in the order in which it can happen within one second. */
const financialStatuses = [
  'pending',
  'authorized',
  'partially_paid',
  'paid',
  'partially_refunded',
  'refunded',
  'voided',
  'expired',
] as const;

export type Order = z.output<typeof orderEvent>;

/** The order in every webhook of the topics `orders/...`: each shows it whole. */
export const orderEvent = z
  .object({
    // A number beyond 2^53 arrives as a bigint, exact.
    id: wholeNumber,
    name: text(255).nullish(),
    currency: text(255),
    total_price: decimal,
    financial_status: z.enum(financialStatuses).nullish(),
    cancelled_at: time.nullish(),
    updated_at: time,
  })
  .transform((order) => ({
    id: order.id,
    name: order.name ?? null,
    currency: order.currency,
    totalPrice: order.total_price,
    financialStatus: order.financial_status ?? null,
    cancelledAt: order.cancelled_at ?? null,
    updatedAt: order.updated_at,
  }));

/** Where the order stands among snapshots of one second. */
export function stepOf({ financialStatus }: Order): number {
  return financialStatus === null ? 0 : financialStatuses.indexOf(financialStatus);
}
