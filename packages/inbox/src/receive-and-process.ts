import { type Database, inTransaction, type Tx } from '@mailroom/db';
import { CodedError, type EventKey, type JsonReading } from '@mailroom/kernel';
import { CompiledQuery } from 'kysely';
import type { Delivery, IncomingEvent } from './delivery.ts';
import { type EventHandler, type FindHandler, handleEvent, handlerLookup, readingOnce } from './event-handler.ts';
import { lend } from './revocable-transaction.ts';
import { underSavepoint } from './savepoint.ts';
import { storable } from './settlement.ts';
import { type Finish, finishUnleased } from './sql/finish-unleased.ts';
import { insertReceiptsText, insertReceiptsValues, type ReceiptRow, sortedRows } from './sql/insert-receipts.ts';
import type { LockedEvent } from './sql/lock.ts';
import { lockUnleased } from './sql/lock-unleased.ts';
import { reattachBodies } from './sql/reattach-bodies.ts';

export interface ReceiveAndProcessOptions {
  /** Attempts a worker would have, if one ever takes the event up. Default 25. */
  readonly maxAttempts?: number;
  /**
   * How long the function's own transaction waits for any lock, milliseconds: for another delivery of the same event, and for
   * business rows. Default 2000. In the caller's transaction the caller's `lock_timeout` holds.
   */
  readonly lockTimeoutMs?: number;
}

/**
 * What became of one event. All are durable once the transaction commits, and all may be acknowledged.
 *
 * - `processed`: its handler ran and its effect is written.
 * - `duplicate`: known already. Processed before, or stored and somebody's business: a worker's, or an operator's.
 * - `ignored`: its handler said that there is nothing to do.
 * - `rejected`: its handler said never. What it wrote is undone; the receipt waits for a person.
 * - `parked`: no handler here. The receipt waits for a worker, or for a redelivery to a server, that has one.
 * - `quarantined`: verified but unreadable.
 */
export type EventResult = { readonly eventId: string } & (
  | { readonly outcome: 'processed' | 'duplicate' | 'parked' }
  | { readonly outcome: 'ignored' | 'rejected' | 'quarantined'; readonly reason: string }
);

/**
 * The synchronous shape, for servers that answer only after the work: the receipt of a verified delivery and the business
 * updates of its events in one transaction. In the caller's where a `Tx` is given, which then should be READ COMMITTED; it
 * decides by its commit. Else in one of its own. Answers one result an event, in the delivery's order.
 *
 * A second delivery of the same event waits for the first: `duplicate` if that commits, else it takes over. A known event that
 * nobody has begun is processed here (docs/adr/0007-synchronous-shape.md says when).
 *
 * Any error, a handler's or the database's, undoes the receipts of the whole delivery and reaches the caller as itself. In the
 * caller's transaction it is undone to the savepoint before, so a caller who catches it and commits keeps no receipt. A handler
 * that snoozes throws `event_snoozed`: here the provider's redelivery is the only one who comes again. Also throws
 * `commit_outcome_unknown` from a transaction of its own. Nothing that threw may be acknowledged.
 */
export async function receiveAndProcess(
  txOrDatabase: Tx | Database,
  delivery: Delivery,
  handlers: readonly EventHandler[],
  options: ReceiveAndProcessOptions = {},
): Promise<readonly EventResult[]> {
  if (delivery.events.length === 0) return [];
  const findHandler = handlerLookup(handlers);
  const { maxAttempts = 25, lockTimeoutMs = 2_000 } = options;
  if ('pool' in txOrDatabase) {
    return await inTransaction(txOrDatabase, (tx) =>
      receiveIn(tx, delivery, findHandler, { maxAttempts, lockTimeoutMs }),
    );
  }
  return await underSavepoint(txOrDatabase, () =>
    receiveIn(txOrDatabase, delivery, findHandler, { maxAttempts, lockTimeoutMs: null }),
  );
}

async function receiveIn(
  tx: Tx,
  delivery: Delivery,
  findHandler: FindHandler<EventHandler>,
  settings: { readonly maxAttempts: number; readonly lockTimeoutMs: number | null },
): Promise<readonly EventResult[]> {
  const { rows } = sortedRows([delivery]);
  const { rows: knownNumbers } = await tx.executeQuery<{ number: number }>(
    CompiledQuery.raw(insertReceiptsText, insertReceiptsValues([delivery], rows, settings)),
  );
  const known = new Set(knownNumbers.map(({ number }) => rows[number - 1] as ReceiptRow));
  await reattachBodies((text, values) => tx.executeQuery(CompiledQuery.raw(text, values)), [...known]);

  // In key order, before any business row: two deliveries that share events never wait for each other crosswise.
  const begun: { readonly row: ReceiptRow; readonly event: LockedEvent | undefined }[] = [];
  for (const row of rows) {
    if (!known.has(row)) begun.push({ row, event: eventOf(row) });
    else if (findHandler(row.provider, row.event.eventType)) begun.push({ row, event: await lockUnleased(tx, row) });
  }

  const read = readingOnce();
  const results = new Map<IncomingEvent, EventResult>();
  for (const { row, event } of begun.toSorted(byObject)) {
    if (event) results.set(row.event, await processHere(tx, row, event, findHandler, read));
  }
  // What is left was known and not ours to begin, or stands in the delivery twice.
  return delivery.events.map((event) => results.get(event) ?? { eventId: event.eventId, outcome: 'duplicate' });
}

async function processHere(
  tx: Tx,
  { event: incoming }: ReceiptRow,
  event: LockedEvent,
  findHandler: FindHandler<EventHandler>,
  read: (body: Buffer) => JsonReading,
): Promise<EventResult> {
  const { eventId } = event;
  if (incoming.quarantineReason !== null) return { eventId, outcome: 'quarantined', reason: incoming.quarantineReason };
  const handler = findHandler(event.provider, event.eventType);
  if (!handler) return await finish(tx, event, { state: 'parked', reason: null });

  let rejection: string | undefined;
  try {
    const finished = await underSavepoint(tx, () => runHandler(tx, event, handler, read));
    return await finish(tx, event, finished);
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    rejection = error.reason;
  }
  return await finish(tx, event, { state: 'rejected', reason: rejection });
}

async function runHandler(
  tx: Tx,
  event: LockedEvent,
  handler: EventHandler,
  read: (body: Buffer) => JsonReading,
): Promise<Finish> {
  const outcome = await lend(tx, (lent) => handleEvent(handler, lent, event, read));
  switch (outcome.outcome) {
    case 'done':
      return { state: 'processed', reason: null };
    case 'ignored':
      return { state: 'ignored', reason: storable(outcome.reason, 2_000) || 'no reason given' };
    case 'reject':
      throw new Rejected(storable(`${outcome.code}: ${outcome.reason}`, 2_000));
    case 'snooze':
      throw new CodedError('event_snoozed', `not now, again in ${outcome.delayMs} ms: ${outcome.reason}`);
  }
}

async function finish(tx: Tx, key: EventKey, { state, reason }: Finish): Promise<EventResult> {
  await finishUnleased(tx, key, { state, reason });
  const { eventId } = key;
  return state === 'processed' || state === 'parked'
    ? { eventId, outcome: state }
    : { eventId, outcome: state, reason: reason ?? '' };
}

function eventOf({ provider, endpoint, event, delivery }: ReceiptRow): LockedEvent {
  // Received by this very transaction, so this process's clock is near enough.
  return {
    ...event,
    provider,
    endpoint,
    receivedAt: new Date(),
    bodyHash: event.bodyHash ?? null,
    body: delivery.body,
  };
}

/** Business rows are locked in the order of their objects; events of one object, and those of none, in key order. */
function byObject(a: { readonly row: ReceiptRow }, b: { readonly row: ReceiptRow }): number {
  const [left, right] = [a.row.event.objectKey ?? '', b.row.event.objectKey ?? ''];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Carries a handler's "never" out of its savepoint, so that what it wrote is undone. */
class Rejected extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}
