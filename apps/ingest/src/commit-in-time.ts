import { classifyDatabaseError } from '@mailroom/db';
import type { Delivery, Receipt, Receiver } from '@mailroom/inbox';
import { CodedError } from '@mailroom/kernel';
import type { ReceiveOutcome } from './answer.ts';

/**
 * Commits a delivery, or gives up waiting so that the client has its answer in time, whatever the database does. Giving up
 * cancels nothing: a write that still succeeds is right, and makes the redelivery a duplicate.
 */
export async function commitInTime(
  context: { readonly receiver: Receiver; readonly answerDeadlineMs: number },
  delivery: Delivery,
): Promise<ReceiveOutcome> {
  const committed = context.receiver.receive(delivery).then(
    (receipt) => storedOutcome(delivery, receipt),
    (error: unknown) => failedOutcome(error),
  );
  const deadline = Promise.withResolvers<ReceiveOutcome>();
  const timer = setTimeout(
    () => deadline.resolve({ outcome: 'deadline_passed' }),
    context.answerDeadlineMs * shareForTheDatabase,
  );
  const outcome = await Promise.race([committed, deadline.promise]);
  clearTimeout(timer);
  return outcome;
}

/** The deadline is for the client's eyes: timers fire late on a busy loop, and the answer has to travel. */
const shareForTheDatabase = 7 / 8;

function storedOutcome(delivery: Delivery, receipt: Receipt): ReceiveOutcome {
  const quarantined = delivery.events.filter((event) => event.quarantineReason !== null).length;
  return { outcome: 'stored', stored: receipt.stored, duplicates: receipt.duplicates, quarantined };
}

function failedOutcome(error: unknown): ReceiveOutcome {
  if (error instanceof CodedError && error.code === 'inbox_overloaded') return { outcome: 'overloaded' };
  if (error instanceof CodedError && error.code === 'inbox_closed') return { outcome: 'shutting_down' };
  const errorClass = classifyDatabaseError(error);
  if (errorClass !== null) return { outcome: 'database_failed', errorClass, error };
  return { outcome: 'fault', error };
}
