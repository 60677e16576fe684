import { done } from '@mailroom/kernel';
import { sql } from 'kysely';
import { defineHandler } from '../define-handler.ts';
import { requestRefetch } from '../refetch.ts';
import { applyRefunds } from './apply-refund.ts';
import { refundedChargeEvent } from './read-refund.ts';

/**
 * Something of a charge was refunded: one charge, as many of these events as refunds, all of them real. The charge tells only a
 * running total. What the total grew by (`previous_attributes`) is a delta without a name: booking it would book the same
 * refund again when `refund.created` or a second Event object tells of it. So a refund is booked by its own id alone. The ids
 * stand in the event where the API version is older than 2022-11-15; where they do not and the refunds we know of do not make
 * up the total, Stripe is asked for them, once a total.
 */
export const chargeRefunded = defineHandler({
  provider: 'stripe',
  eventType: 'charge.refunded',
  payload: refundedChargeEvent,
  onTie: 'keep',
  async handle({ tx, event, payload: charge, onTie }) {
    await applyRefunds(tx, event, charge.refunds, onTie);
    const { known } = await tx
      .selectFrom('refunds')
      .select(sql<string>`coalesce(sum(amount), 0)`.as('known'))
      .where('charge', '=', charge.id)
      .where('status', 'not in', ['canceled', 'failed'])
      .executeTakeFirstOrThrow();
    if (charge.amountRefunded > BigInt(known)) {
      const fact = `refunded ${charge.amountRefunded} ${event.providerTime?.toISOString() ?? ''}`;
      await requestRefetch(tx, event, { type: 'charge', id: charge.id, key: charge.key, fact });
    }
    return done;
  },
});
