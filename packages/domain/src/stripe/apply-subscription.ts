import type { Tx } from '@mailroom/db';
import type { HandledEvent, TiePolicy } from '../handler.ts';
import { settleTie } from '../settle-tie.ts';
import { snapshotTable } from '../snapshot-table.ts';
import { tellOnce } from '../tell-once.ts';
import type { Subscription } from './read-subscription.ts';
import { ended, stageOfSubscription } from './subscription-state.ts';

const subscriptions = snapshotTable({
  table: 'subscriptions',
  key: { subscription_id: 'text' },
  content: {
    account: 'text',
    customer: 'text',
    status: 'text',
    cancel_at_period_end: 'boolean',
    trial_end: 'timestamptz',
    current_period_end: 'timestamptz',
  },
});

/**
 * What every subscription event does, whichever comes first: keep the greatest snapshot and, once, tell that the subscription
 * has ended. Within one second the event of its creation is the first, for nothing happened before it.
 */
export async function applySubscription(
  tx: Tx,
  event: HandledEvent,
  subscription: Subscription,
  onTie: TiePolicy,
): Promise<void> {
  const stage = stageOfSubscription[subscription.status];
  const [kept] = await subscriptions.keepGreatest(tx, [
    {
      key: { subscription_id: subscription.id },
      content: {
        account: event.account,
        customer: subscription.customer,
        status: subscription.status,
        cancel_at_period_end: subscription.cancelAtPeriodEnd,
        trial_end: subscription.trialEnd,
        current_period_end: subscription.currentPeriodEnd,
      },
      stage,
      at: event.providerTime ?? new Date(0),
      step: event.eventType === 'customer.subscription.created' ? 0 : 1,
      eventId: event.eventId,
    },
  ]);
  if (kept) {
    await settleTie(tx, event, {
      object: { type: 'subscription', id: subscription.id, key: subscription.key },
      kept,
      onTie,
    });
  }
  if (stage !== ended) return;
  await tellOnce(tx, {
    topic: 'subscription.ended',
    aggregate: subscription.key,
    fact: 'ended',
    payload: {
      subscription: subscription.id,
      account: event.account,
      customer: subscription.customer,
      status: subscription.status,
    },
    source: event,
  });
}
