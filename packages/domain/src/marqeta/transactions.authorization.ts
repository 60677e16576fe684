import { defineHandler } from '../define-handler.ts';
import { bookEntry } from './book-entry.ts';
import { transactionEvent } from './read-transaction.ts';

/** A purchase is authorized: the amount is held, nothing is paid yet. */
export const transactionsAuthorization = defineHandler({
  provider: 'marqeta',
  eventType: 'transactions.authorization',
  payload: transactionEvent,
  async handle({ tx, event, payload: transaction }) {
    return await bookEntry(tx, event, transaction, 'authorization');
  },
});
