import { defineHandler } from '../define-handler.ts';
import { bookEntry } from './book-entry.ts';
import { transactionEvent } from './read-transaction.ts';

/** A purchase is cleared: the amount is paid, and what its authorization held is free again. */
export const transactionsAuthorizationClearing = defineHandler({
  provider: 'marqeta',
  eventType: 'transactions.authorization.clearing',
  payload: transactionEvent,
  async handle({ tx, event, payload: transaction }) {
    return await bookEntry(tx, event, transaction, 'clearing');
  },
});
