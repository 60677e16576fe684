import type { Tx } from '@mailroom/db';
import type { HandledEvent, TiePolicy } from './handler.ts';
import { recordAnomaly } from './record-anomaly.ts';
import { isRefetched, requestRefetch } from './refetch.ts';
import type { Kept } from './snapshot-table.ts';

export interface TiedObject {
  /** The provider's word for what it is: `subscription`. */
  readonly type: string;
  readonly id: string;
  /** The object in the outbox and among the anomalies. */
  readonly key: string;
}

/** Does what the handler declared, once a tie, where the row that was kept is contested; else nothing. */
export async function settleTie(
  tx: Tx,
  event: HandledEvent,
  { object, kept, onTie }: { readonly object: TiedObject; readonly kept: Kept; readonly onTie: TiePolicy },
): Promise<void> {
  if (!kept.contested) return;
  const tie = `tie ${kept.stage} ${kept.at.toISOString()}`;
  if (onTie !== 'refetch') {
    await recordAnomaly(tx, { kind: 'snapshots_tie', objectKey: object.key, detail: { tie } });
    return;
  }
  // An answer that ties again has not settled anything, so that very answer is a reason to ask once more.
  const isAnswer = isRefetched(event) && event.providerTime?.getTime() === kept.at.getTime();
  // A second later nothing can still happen within the tied one, so the answer bears a later time.
  const availableAt = new Date(kept.at.getTime() + 2_000);
  await requestRefetch(tx, event, { ...object, fact: isAnswer ? `${tie} ${event.eventId}` : tie, availableAt });
}
