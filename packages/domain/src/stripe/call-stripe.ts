import type { Tx } from '@mailroom/db';
import { CodedError, type JsonValue } from '@mailroom/kernel';
// Types only, see event-payload.ts.
import type { Stripe } from 'stripe';
import type { HandledEvent } from '../handler.ts';
import { tellOnce } from '../tell-once.ts';

/** What Stripe is to do, in Stripe's own words. An amount is a number there: check it before it is made one. */
export type StripeCall = StripeOperation & {
  /** Why: for one object the same fact asks once, whichever event tells it, a second Event object for it included. */
  readonly fact: string;
  /** Names one of several calls of the same operation that one event asks for. Default: the operation. */
  readonly step?: string;
};

type StripeOperation =
  | { readonly operation: 'refunds.create'; readonly params: Stripe.RefundCreateParams }
  | { readonly operation: 'invoiceitems.create'; readonly params: Stripe.InvoiceItemCreateParams }
  | { readonly operation: 'customers.update'; readonly id: string; readonly params: Stripe.CustomerUpdateParams }
  | {
      readonly operation: 'subscriptions.update';
      readonly id: string;
      readonly params: Stripe.SubscriptionUpdateParams;
    }
  | {
      readonly operation: 'subscriptions.cancel';
      readonly id: string;
      readonly params?: Stripe.SubscriptionCancelParams;
    };

/**
 * Asks for a call of Stripe, in the handler's transaction: one outbox row on the topic `stripe.call`. The call is made after the
 * commit, in the account of the event, and takes effect once however often it is tried (docs/write-backs.md). Calls about one
 * object are made in the order in which they were asked for. Answers whether this was the first to ask.
 */
export async function callStripe(tx: Tx, event: HandledEvent, call: StripeCall): Promise<boolean> {
  const { operation, fact, step = operation, params } = call;
  return await tellOnce(tx, {
    topic: 'stripe.call',
    aggregate: aggregateOf(call),
    fact: `${operation} ${fact}`,
    payload: {
      operation,
      step,
      id: 'id' in call ? call.id : null,
      params: (params ?? {}) as unknown as JsonValue,
      account: event.account,
      livemode: event.livemode,
    },
    source: event,
  });
}

/** What the call is about: its calls are made one after the other. */
function aggregateOf(call: StripeOperation): string {
  switch (call.operation) {
    case 'refunds.create': {
      const { charge, payment_intent: intent } = call.params;
      if (charge !== undefined) return `stripe:charge:${charge}`;
      if (intent !== undefined) return `stripe:payment_intent:${intent}`;
      throw new CodedError('incomplete_call', 'a refund names a charge or a payment intent');
    }
    case 'invoiceitems.create':
      return `stripe:customer:${call.params.customer}`;
    case 'customers.update':
      return `stripe:customer:${call.id}`;
    case 'subscriptions.update':
    case 'subscriptions.cancel':
      return `stripe:subscription:${call.id}`;
  }
}
