import { handlers } from '@mailroom/domain';
import { describeHandler, sampleDelivery } from '@mailroom/handler-kit';
import { expect } from 'vitest';

const invoiceHandlers = handlers.filter(({ eventType }) => eventType.startsWith('invoice.'));
const tables = ['invoices', 'ledger_entries', 'anomalies'];

describeHandler({
  handlers: invoiceHandlers,
  deliveries: ['invoice.created', 'invoice.finalized', 'invoice.payment_failed', 'invoice.paid'].map((name) =>
    sampleDelivery('stripe', name),
  ),
  tables,
  expectEnd(rows) {
    expect(rows['invoices']).toMatchObject([{ status: 'paid', failed_payments: 1 }]);
    expect(rows['ledger_entries']).toMatchObject([{ kind: 'payment' }]);
    expect(rows['outbox']).toMatchObject([{ topic: 'invoice.paid' }]);
    expect(rows['anomalies']).toEqual([]);
  },
});

// Two invoices, and more events than there are orders to try.
describeHandler({
  handlers: invoiceHandlers,
  deliveries: ['one', 'another'].flatMap((tag) =>
    ['invoice.created', 'invoice.finalized', 'invoice.voided'].map((name) => sampleDelivery('stripe', name, { tag })),
  ),
  tables,
  expectEnd(rows) {
    expect(rows['invoices']).toMatchObject([{ status: 'void' }, { status: 'void' }]);
  },
});
