import { handlers } from '@mailroom/domain';
import { describeHandler, sampleDelivery } from '@mailroom/handler-kit';
import { expect } from 'vitest';

// Entries that come before their account wait for it.
describeHandler({
  handlers: handlers.filter(({ provider }) => provider === 'marqeta'),
  deliveries: [
    'usertransitions.ACTIVE',
    'transactions.authorization',
    'transactions.authorization.clearing',
    'transactions.batch',
  ].map((name) => sampleDelivery('marqeta', name)),
  tables: ['accounts', 'account_entries', 'account_balances', 'anomalies'],
  expectEnd(rows) {
    expect(rows['account_entries']).toHaveLength(2);
    expect(rows['account_balances']).toMatchObject([{ balance: -10, held: 0 }]);
  },
});
