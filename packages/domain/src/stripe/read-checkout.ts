import { z } from 'zod';
import { amount, reference, text } from '../payload-fields.ts';

export interface CheckoutSession {
  readonly id: string;
  /** `stripe:checkout.session:<id>` */
  readonly key: string;
  readonly customer: string | null;
  readonly subscription: string | null;
  readonly paymentIntent: string | null;
  readonly amountTotal: bigint | null;
  readonly currency: string | null;
  /** `unpaid` may be pending or failed: the event's type says which. */
  readonly paymentStatus: 'paid' | 'unpaid' | 'no_payment_required';
}

const keyPrefix = 'stripe:checkout.session:';

/** The checkout session in a Stripe event. */
export const checkoutEvent = z
  .object({
    data: z.object({
      object: z.object({
        id: text(255 - keyPrefix.length),
        customer: reference,
        subscription: reference,
        payment_intent: reference,
        amount_total: amount.nullish(),
        currency: text(255).nullish(),
        payment_status: z.enum(['paid', 'unpaid', 'no_payment_required']),
      }),
    }),
  })
  .transform(
    ({ data: { object } }): CheckoutSession => ({
      id: object.id,
      key: `${keyPrefix}${object.id}`,
      customer: object.customer,
      subscription: object.subscription,
      paymentIntent: object.payment_intent,
      amountTotal: object.amount_total ?? null,
      currency: object.currency ?? null,
      paymentStatus: object.payment_status,
    }),
  );
