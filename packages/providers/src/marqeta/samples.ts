import type { JsonValue } from '@mailroom/kernel';
import type { Sample, SampleValues } from '../provider.ts';

/** A purchase that is authorized and cleared, both in one message too, a card and its holder on their way. Written for Mailroom. */
export const samples: Readonly<Record<string, Sample>> = {
  'transactions.authorization': {
    eventType: 'transactions.authorization',
    body: (values) => ({ transactions: [transaction(values, 'authorization', 'PENDING')] }),
  },
  'transactions.authorization.clearing': {
    eventType: 'transactions.authorization.clearing',
    body: (values) => ({ transactions: [transaction(values, 'authorization.clearing', 'COMPLETION')] }),
  },
  'transactions.batch': {
    eventType: 'transactions.authorization.clearing',
    body: (values) => ({
      transactions: [
        transaction(values, 'authorization', 'PENDING'),
        transaction(values, 'authorization.clearing', 'COMPLETION'),
      ],
    }),
  },
  'cardtransitions.state.activated': cardTransition('activated', 'ACTIVE'),
  'cardtransitions.state.suspended': cardTransition('suspended', 'SUSPENDED'),
  'cardtransitions.state.reinstated': cardTransition('reinstated', 'ACTIVE'),
  'cardtransitions.state.terminated': cardTransition('terminated', 'TERMINATED'),
  'usertransitions.UNVERIFIED': userTransition('UNVERIFIED'),
  'usertransitions.LIMITED': userTransition('LIMITED'),
  'usertransitions.ACTIVE': userTransition('ACTIVE'),
  'usertransitions.SUSPENDED': userTransition('SUSPENDED'),
  'usertransitions.CLOSED': userTransition('CLOSED'),
};

function cardTransition(type: string, state: string): Sample {
  return {
    eventType: `cardtransitions.state.${type}`,
    body: (values) => ({
      cardtransitions: [
        {
          token: `ct_${values.tag}_${type}`,
          type: `state.${type}`,
          state,
          card_token: `card_${values.tag}`,
          user_token: `user_${values.tag}`,
          created_time: timeOf(values),
        },
      ],
    }),
  };
}

function userTransition(status: string): Sample {
  return {
    eventType: `usertransitions.${status}`,
    body: (values) => ({
      usertransitions: [
        {
          token: `ut_${values.tag}_${status}`,
          status,
          user_token: `user_${values.tag}`,
          created_time: timeOf(values),
        },
      ],
    }),
  };
}

function transaction(values: SampleValues, type: string, state: string): JsonValue {
  const { tag } = values;
  const authorization = `txn_${tag}_authorization`;
  return {
    type,
    state,
    token: `txn_${tag}_${type.replace('.', '_')}`,
    ...(type === 'authorization' ? {} : { preceding_related_transaction_token: authorization }),
    user_token: `user_${tag}`,
    card_token: `card_${tag}`,
    created_time: timeOf(values),
    // Of the purchase: a clearing keeps the authorization's, so it orders nothing.
    user_transaction_time: timeOf(values),
    amount: 10,
    currency_code: 'USD',
  };
}

function timeOf({ nowMs }: SampleValues): string {
  return new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
