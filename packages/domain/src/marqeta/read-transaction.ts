import { z } from 'zod';
import { decimalNumber, text } from '../payload-fields.ts';

const keyPrefix = 'marqeta:transaction:';
const token = text(255 - keyPrefix.length);

export type Transaction = z.output<typeof transactionEvent>;

/** One message of a card transaction. Each has a token of its own; a later one names the one before it. */
export const transactionEvent = z
  .object({
    token,
    state: z.enum(['PENDING', 'CLEARED', 'COMPLETION', 'DECLINED', 'ERROR']),
    user_token: token.nullish(),
    business_token: token.nullish(),
    amount: decimalNumber,
    currency_code: text(255),
    preceding_related_transaction_token: token.nullish(),
  })
  .transform((transaction, context) => {
    const account = transaction.user_token ?? transaction.business_token;
    if (!account) {
      context.addIssue({ code: 'custom', path: ['user_token'], message: 'neither a user nor a business has it' });
      return z.NEVER;
    }
    return {
      token: transaction.token,
      /** `marqeta:transaction:<token>` */
      key: `${keyPrefix}${transaction.token}`,
      state: transaction.state,
      account,
      amount: transaction.amount,
      currency: transaction.currency_code,
      precedingToken: transaction.preceding_related_transaction_token ?? null,
    };
  });
