import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyCheckout } from './apply-checkout.ts';
import { checkoutEvent } from './read-checkout.ts';

/**
 * The customer is through the checkout. That is not yet a payment: with a bank debit or a voucher it is pending here, and one of
 * the two `async_payment` events says days later how it went. So nothing is delivered before `payment_status` says so.
 */
export const checkoutSessionCompleted = defineHandler({
  provider: 'stripe',
  eventType: 'checkout.session.completed',
  payload: checkoutEvent,
  onTie: 'keep',
  ownRowsOnly: true,
  async handle({ tx, event, payload: session, onTie }) {
    await applyCheckout(tx, event, session, onTie);
    return done;
  },
});
