import type { Tx } from '@mailroom/db';
import type { HandledEvent, TiePolicy } from '../handler.ts';
import { settleTie } from '../settle-tie.ts';
import { snapshotTable } from '../snapshot-table.ts';
import { tellOnce } from '../tell-once.ts';
import type { CheckoutSession } from './read-checkout.ts';

const sessions = snapshotTable({
  table: 'checkout_sessions',
  key: { session_id: 'text' },
  content: {
    account: 'text',
    customer: 'text',
    subscription: 'text',
    payment_intent: 'text',
    amount_total: 'int8',
    currency: 'text',
    payment: 'text',
  },
});

const stages = ['pending', 'failed', 'paid'] as const;

/**
 * Keeps how far the payment of a session is (pending, failed, paid: a chain) and tells, once each, that it is paid and that it
 * has failed. `checkout.paid` is the moment to deliver, with a card at once, else days after the session was completed.
 */
export async function applyCheckout(
  tx: Tx,
  event: HandledEvent,
  session: CheckoutSession,
  onTie: TiePolicy,
): Promise<void> {
  const payment = paymentOf(event, session);
  const { id, key, customer, subscription, currency, paymentIntent, amountTotal } = session;
  const [kept] = await sessions.keepGreatest(tx, [
    {
      key: { session_id: id },
      content: {
        account: event.account,
        customer,
        subscription,
        payment_intent: paymentIntent,
        amount_total: amountTotal,
        currency,
        payment,
      },
      stage: stages.indexOf(payment),
      at: event.providerTime ?? new Date(0),
      step: 0,
      eventId: event.eventId,
    },
  ]);
  if (kept) await settleTie(tx, event, { object: { type: 'checkout.session', id, key }, kept, onTie });
  if (payment === 'pending') return;
  await tellOnce(tx, {
    topic: payment === 'paid' ? 'checkout.paid' : 'checkout.payment_failed',
    aggregate: key,
    fact: payment,
    payload: {
      session: id,
      account: event.account,
      customer,
      subscription,
      amount: amountTotal?.toString() ?? null,
      currency,
    },
    source: event,
  });
}

// The one place where the event's name says more than its object: a session whose payment has failed shows `unpaid`, as one
// whose payment is still pending does.
function paymentOf(event: HandledEvent, { paymentStatus }: CheckoutSession): (typeof stages)[number] {
  if (paymentStatus !== 'unpaid') return 'paid';
  return event.eventType === 'checkout.session.async_payment_failed' ? 'failed' : 'pending';
}
