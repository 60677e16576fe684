/**
 * A subscription's states by stage. Within a stage it goes back and forth (active, past_due, active), so there the later
 * snapshot counts; between stages it never goes back: what has begun is not `incomplete` again, what has ended stays ended.
 * Source: docs.stripe.com/billing/subscriptions/overview, "Subscription statuses".
 */
export const stageOfSubscription = {
  incomplete: 0,
  trialing: 1,
  active: 1,
  past_due: 1,
  unpaid: 1,
  paused: 1,
  canceled: 2,
  incomplete_expired: 2,
} as const;

export type SubscriptionStatus = keyof typeof stageOfSubscription;

export const ended = 2;
