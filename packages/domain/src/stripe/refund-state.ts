/**
 * A refund's states, least first: a chain, like an invoice's. A bank may still refuse a refund that had succeeded, so `failed` is
 * the last; nothing leaves it. Source: docs.stripe.com/refunds, "Handle failed refunds".
 */
export const refundStatuses = ['requires_action', 'pending', 'succeeded', 'canceled', 'failed'] as const;

export type RefundStatus = (typeof refundStatuses)[number];

export const stageOfRefund = (status: RefundStatus): number => refundStatuses.indexOf(status);
