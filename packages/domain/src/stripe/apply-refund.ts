import type { Tx } from '@mailroom/db';
import type { HandledEvent, TiePolicy } from '../handler.ts';
import { settleTie } from '../settle-tie.ts';
import { snapshotTable } from '../snapshot-table.ts';
import { bookRefund, reverseRefund } from './book-refund.ts';
import type { Refund } from './read-refund.ts';
import { stageOfRefund } from './refund-state.ts';

const table = snapshotTable({
  table: 'refunds',
  key: { refund_id: 'text' },
  content: {
    account: 'text',
    charge: 'text',
    payment_intent: 'text',
    amount: 'int8',
    currency: 'text',
    status: 'text',
  },
});

/**
 * What every event that shows refunds does, whichever comes first: keep the greatest snapshot of each, then let the books
 * follow the state that is kept. A refund is booked once, by its own id, when it has succeeded, and taken back when it fails
 * after that; several refunds of one charge are all booked.
 */
export async function applyRefunds(
  tx: Tx,
  event: HandledEvent,
  refunds: readonly Refund[],
  onTie: TiePolicy,
): Promise<void> {
  const kept = await table.keepGreatest(
    tx,
    refunds.map((refund) => ({
      key: { refund_id: refund.id },
      content: {
        account: event.account,
        charge: refund.charge,
        payment_intent: refund.paymentIntent,
        amount: refund.amount,
        currency: refund.currency,
        status: refund.status,
      },
      stage: stageOfRefund(refund.status),
      at: event.providerTime ?? new Date(0),
      step: 0,
      eventId: event.eventId,
    })),
  );
  for (const [index, refund] of refunds.entries()) {
    const row = kept[index];
    if (!row) continue;
    await settleTie(tx, event, { object: { type: 'refund', id: refund.id, key: refund.key }, kept: row, onTie });
    if (row.stage > succeeded) await reverseRefund(tx, event, refund);
    else if (row.stage === succeeded) await bookRefund(tx, event, refund);
  }
}

const succeeded = stageOfRefund('succeeded');
