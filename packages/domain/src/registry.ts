// One line a handler.
export { invoiceCreated } from './stripe/invoice.created.ts';
export { invoiceFinalized } from './stripe/invoice.finalized.ts';
export { invoicePaid } from './stripe/invoice.paid.ts';
export { invoicePaymentFailed } from './stripe/invoice.payment_failed.ts';
export { invoiceVoided } from './stripe/invoice.voided.ts';
