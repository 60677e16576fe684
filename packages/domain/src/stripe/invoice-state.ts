/**
 * An invoice's states, least first. They form a chain along which our copy only moves up, so the state after any set of
 * events is the greatest that one of them showed, whatever their order and however often each came.
 *
 * Stripe lets an `uncollectible` invoice still be paid or voided, so it stands below both. It lets nothing leave `paid` or
 * `void`; when both are seen the invoice is void and the money is a matter for a person (docs/handlers.md).
 * Source: docs.stripe.com/invoicing/integration/workflow-transitions.
 */
export const invoiceStatuses = ['draft', 'open', 'uncollectible', 'paid', 'void'] as const;

export type InvoiceStatus = (typeof invoiceStatuses)[number];
