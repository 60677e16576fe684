import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyCheckout } from './apply-checkout.ts';
import { checkoutEvent } from './read-checkout.ts';

/** The money that was pending has come. */
export const checkoutSessionAsyncPaymentSucceeded = defineHandler({
  provider: 'stripe',
  eventType: 'checkout.session.async_payment_succeeded',
  payload: checkoutEvent,
  onTie: 'keep',
  ownRowsOnly: true,
  async handle({ tx, event, payload: session, onTie }) {
    await applyCheckout(tx, event, session, onTie);
    return done;
  },
});
