import type { Tx } from '@mailroom/db';
import type { HandledEvent } from './handler.ts';
import { tellOnce } from './tell-once.ts';

/** What to ask the provider for, and why. */
export interface RefetchRequest {
  /** The provider's word for what it is: `subscription`. */
  readonly type: string;
  readonly id: string;
  /** The object in the outbox. */
  readonly key: string;
  /** Why: the same reason asks once. */
  readonly fact: string;
  readonly availableAt?: Date;
}

/**
 * Asks the provider for an object, through the outbox: topic `<provider>.refetch`. The relay fetches it after the commit and
 * hands the answer in as an event of its own, which `mailroom.refetched.<type>` handles (docs/handlers.md, "Asking again").
 */
export async function requestRefetch(
  tx: Tx,
  event: HandledEvent,
  { type, id, key, fact, availableAt }: RefetchRequest,
): Promise<void> {
  await tellOnce(tx, {
    topic: `${event.provider}.refetch`,
    aggregate: key,
    fact,
    payload: { type, id, account: event.account, livemode: event.livemode, object_key: event.objectKey, reason: fact },
    source: event,
    ...(availableAt && { availableAt }),
  });
}

/** Whether the event is an answer to `requestRefetch`. */
export function isRefetched(event: HandledEvent): boolean {
  return event.eventType.startsWith('mailroom.refetched.');
}
