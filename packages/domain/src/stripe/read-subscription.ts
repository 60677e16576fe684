import { z } from 'zod';
import { reference, seconds, text } from '../payload-fields.ts';
import { type SubscriptionStatus, stageOfSubscription } from './subscription-state.ts';

export interface Subscription {
  readonly id: string;
  /** `stripe:subscription:<id>` */
  readonly key: string;
  readonly customer: string | null;
  readonly status: SubscriptionStatus;
  readonly cancelAtPeriodEnd: boolean | null;
  readonly trialEnd: Date | null;
  /** The latest of its items' periods. */
  readonly currentPeriodEnd: Date | null;
}

const keyPrefix = 'stripe:subscription:';
const statuses = Object.keys(stageOfSubscription) as SubscriptionStatus[];

/** The subscription in a Stripe event, of any API version, or in an answer to a refetch. */
export const subscriptionEvent = z
  .object({
    data: z.object({
      object: z.object({
        id: text(255 - keyPrefix.length),
        customer: reference,
        status: z.enum(statuses),
        cancel_at_period_end: z.boolean().nullish(),
        trial_end: seconds.nullish(),
        // Since 2025-03-31 the period stands on the items, which may have different ones.
        current_period_end: seconds.nullish(),
        items: z.object({ data: z.array(z.object({ current_period_end: seconds.nullish() })) }).nullish(),
      }),
    }),
  })
  .transform(({ data: { object } }): Subscription => {
    const ends = [object.current_period_end, ...(object.items?.data ?? []).map((item) => item.current_period_end)];
    const periods = ends.filter((end) => end !== null && end !== undefined);
    return {
      id: object.id,
      key: `${keyPrefix}${object.id}`,
      customer: object.customer,
      status: object.status,
      cancelAtPeriodEnd: object.cancel_at_period_end ?? null,
      trialEnd: object.trial_end ?? null,
      currentPeriodEnd: periods.length === 0 ? null : new Date(Math.max(...periods.map(Number))),
    };
  });
