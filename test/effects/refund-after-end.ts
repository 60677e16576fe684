import { callStripe, defineHandler } from '@mailroom/domain';
import { done, ignored } from '@mailroom/kernel';
import { z } from 'zod';

const payment = z.object({ data: z.object({ object: z.object({ id: z.string(), customer: z.string() }) }) });

/** Gives back what a customer paid whose every subscription has ended. */
export const refundAfterEnd = defineHandler({
  provider: 'stripe',
  eventType: 'payment_intent.succeeded',
  payload: payment,
  async handle({ tx, event, payload }) {
    const { id, customer } = payload.data.object;
    const subscriptions = await tx
      .selectFrom('subscriptions')
      .select('status')
      .where('customer', '=', customer)
      .execute();
    if (subscriptions.some(({ status }) => status !== 'canceled')) return ignored('a subscription goes on');
    await callStripe(tx, event, {
      operation: 'refunds.create',
      params: { payment_intent: id, reason: 'duplicate' },
      fact: 'paid after the end',
    });
    return done;
  },
});
