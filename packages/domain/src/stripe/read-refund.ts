import { z } from 'zod';
import { amount, reference, text } from '../payload-fields.ts';
import { type RefundStatus, refundStatuses } from './refund-state.ts';

export interface Refund {
  readonly id: string;
  /** `stripe:refund:<id>` */
  readonly key: string;
  readonly charge: string | null;
  readonly paymentIntent: string | null;
  /** Of this refund alone, in the currency's smallest unit. */
  readonly amount: bigint;
  readonly currency: string;
  readonly status: RefundStatus;
}

export interface RefundedCharge {
  readonly id: string;
  /** `stripe:charge:<id>` */
  readonly key: string;
  /** All that was refunded of it so far: a running total, which falls again when a refund fails. */
  readonly amountRefunded: bigint;
  /** As far as the event shows them; none since API version 2022-11-15. */
  readonly refunds: readonly Refund[];
}

const refundPrefix = 'stripe:refund:';
const chargePrefix = 'stripe:charge:';

const refund = z
  .object({
    id: text(255 - refundPrefix.length),
    charge: reference,
    payment_intent: reference,
    amount: amount.refine((value) => value > 0n, 'not above 0'),
    currency: text(255),
    // Null where Stripe does not know yet.
    status: z.enum(refundStatuses).nullish(),
  })
  .transform(
    ({ id, charge, payment_intent, amount: refunded, currency, status }): Refund => ({
      id,
      key: `${refundPrefix}${id}`,
      charge,
      paymentIntent: payment_intent,
      amount: refunded,
      currency,
      status: status ?? 'pending',
    }),
  );

/** The refund in a Stripe event. */
export const refundEvent = z.object({ data: z.object({ object: refund }) }).transform(({ data }) => data.object);

/** The charge in a `charge.refunded` event, or in an answer to a refetch, which shows every refund of it. */
export const refundedChargeEvent = z
  .object({
    data: z.object({
      object: z.object({
        id: text(255 - chargePrefix.length),
        amount_refunded: amount,
        refunds: z.object({ data: z.array(refund) }).nullish(),
      }),
    }),
  })
  .transform(
    ({ data: { object } }): RefundedCharge => ({
      id: object.id,
      key: `${chargePrefix}${object.id}`,
      amountRefunded: object.amount_refunded,
      refunds: object.refunds?.data ?? [],
    }),
  );
