import { describeHandler, sampleDelivery } from '@mailroom/handler-kit';
import { expect } from 'vitest';
import {
  invoiceCreated,
  invoiceFinalized,
  invoicePaid,
  invoicePaymentFailed,
  invoiceVoided,
} from '../../packages/domain/src/registry.ts';

describeHandler({
  handlers: [invoiceCreated, invoiceFinalized, invoicePaymentFailed, invoicePaid],
  deliveries: ['invoice.created', 'invoice.finalized', 'invoice.payment_failed', 'invoice.paid'].map((name) =>
    sampleDelivery('stripe', name),
  ),
  tables: ['invoices', 'ledger_entries', 'anomalies'],
  expectEnd(rows) {
    expect(rows['invoices']).toMatchObject([{ status: 'paid', failed_payments: 1 }]);
    expect(rows['ledger_entries']).toMatchObject([{ kind: 'payment' }]);
    expect(rows['outbox']).toMatchObject([{ topic: 'invoice.paid' }]);
  },
});

describeHandler({
  handlers: [invoiceCreated, invoiceFinalized, invoicePaymentFailed, invoiceVoided],
  deliveries: ['invoice.created', 'invoice.finalized', 'invoice.payment_failed', 'invoice.voided'].map((name) =>
    sampleDelivery('stripe', name),
  ),
  tables: ['invoices', 'ledger_entries', 'anomalies'],
});
