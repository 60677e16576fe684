import { z } from 'zod';
import { amount, reference, text } from '../payload-fields.ts';

/**
 * A dispute's states by stage: what is still open goes back and forth, what is decided stays decided.
 * Source: docs.stripe.com/api/disputes/object, `status`.
 */
export const stageOfDispute = {
  warning_needs_response: 0,
  warning_under_review: 0,
  needs_response: 0,
  under_review: 0,
  warning_closed: 1,
  prevented: 1,
  won: 1,
  lost: 1,
} as const;

export type DisputeStatus = keyof typeof stageOfDispute;

export interface Dispute {
  readonly id: string;
  /** `stripe:dispute:<id>` */
  readonly key: string;
  readonly charge: string | null;
  readonly amount: bigint;
  readonly currency: string;
  readonly reason: string | null;
  readonly status: DisputeStatus;
}

const keyPrefix = 'stripe:dispute:';
const statuses = Object.keys(stageOfDispute) as DisputeStatus[];

/** The dispute in a Stripe event. */
export const disputeEvent = z
  .object({
    data: z.object({
      object: z.object({
        id: text(255 - keyPrefix.length),
        charge: reference,
        amount,
        currency: text(255),
        reason: text(255).nullish(),
        status: z.enum(statuses),
      }),
    }),
  })
  .transform(
    ({ data: { object } }): Dispute => ({ ...object, key: `${keyPrefix}${object.id}`, reason: object.reason ?? null }),
  );
