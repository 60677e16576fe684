import type { Tx } from '@mailroom/db';
import type { HandledEvent, TiePolicy } from '../handler.ts';
import { settleTie } from '../settle-tie.ts';
import { snapshotTable } from '../snapshot-table.ts';
import { tellOnce } from '../tell-once.ts';
import { type Dispute, stageOfDispute } from './read-dispute.ts';

const disputes = snapshotTable({
  table: 'disputes',
  key: { dispute_id: 'text' },
  content: { account: 'text', charge: 'text', amount: 'int8', currency: 'text', reason: 'text', status: 'text' },
});

/**
 * Keeps the greatest snapshot and tells, once each, that there is a dispute and that it is decided. Whoever hears first of its end
 * tells both, the opening first: it was opened, whether or not that event has come.
 */
export async function applyDispute(
  tx: Tx,
  event: HandledEvent,
  { id, key, ...dispute }: Dispute,
  onTie: TiePolicy,
): Promise<void> {
  const stage = stageOfDispute[dispute.status];
  const [kept] = await disputes.keepGreatest(tx, [
    {
      key: { dispute_id: id },
      content: { account: event.account, ...dispute },
      stage,
      at: event.providerTime ?? new Date(0),
      step: 0,
      eventId: event.eventId,
    },
  ]);
  if (kept) await settleTie(tx, event, { object: { type: 'dispute', id, key }, kept, onTie });
  const { charge, currency, reason, status } = dispute;
  const payload = { dispute: id, account: event.account, charge, amount: dispute.amount.toString(), currency, reason };
  await tellOnce(tx, { topic: 'dispute.opened', aggregate: key, fact: 'opened', payload, source: event });
  if (stage === 0) return;
  await tellOnce(tx, {
    topic: 'dispute.closed',
    aggregate: key,
    fact: 'closed',
    payload: { ...payload, status },
    source: event,
  });
}
