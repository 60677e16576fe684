import type { Database, Tx } from '@mailroom/db';
import { type EventKey, formatEventKey } from '@mailroom/kernel';
import { CompiledQuery, sql } from 'kysely';
import type { Delivery, IncomingEvent } from './delivery.ts';
import { insertReceiptsText, insertReceiptsValues, sortedRows } from './sql/insert-receipts.ts';

/** A delivery as it is stored, to be read again. */
export interface StoredDelivery {
  readonly deliveryId: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export type Rereading =
  | { readonly outcome: 'events'; readonly events: readonly IncomingEvent[] }
  | { readonly outcome: 'unreadable'; readonly reason: string };

export interface ReparseRequest {
  readonly key: EventKey;
  /** Reads the delivery as its provider does today. Called inside the transaction; must be quick and touch nothing. */
  readonly read: (stored: StoredDelivery) => Rereading;
  /** Attempts the events get. */
  readonly maxAttempts: number;
  /** Who asks. */
  readonly actor: string;
  /** Why; kept in `operator_actions`. Not empty. */
  readonly reason: string;
}

export type ReparseOutcome =
  | { readonly outcome: 'reparsed'; readonly eventIds: readonly string[]; readonly duplicates: number }
  | { readonly outcome: 'still_unreadable'; readonly reason: string }
  | { readonly outcome: 'not_quarantined'; readonly state: string }
  | { readonly outcome: 'body_expired' }
  | { readonly outcome: 'not_found' };

/**
 * Reads a quarantined event's delivery again, and lets in what is in it now: every event under its own name, due at once, known
 * ones as duplicates. The quarantined row ends as `ignored`, with the reason; where the event bears the very name under which it
 * was quarantined, the row itself becomes the event. All or nothing, in one transaction of its own, with a row of
 * `operator_actions`. Where it still cannot be read nothing changes.
 */
export function reparseEvent(database: Database, request: ReparseRequest): Promise<ReparseOutcome> {
  return database.kysely.transaction().execute(async (tx) => {
    const row = await lockRow(tx, request.key);
    if (row === undefined) return { outcome: 'not_found' };
    if (row.state !== 'quarantined') return { outcome: 'not_quarantined', state: row.state };
    const { body, headers } = row;
    if (body === null || headers === null) return { outcome: 'body_expired' };

    const rereading = request.read({ deliveryId: row.deliveryId, body, headers });
    const outcome = rereading.outcome === 'unreadable' ? stillUnreadable(rereading.reason) : rereading;
    if (outcome.outcome === 'still_unreadable') return outcome;
    const own = outcome.events.find(({ eventId }) => eventId === request.key.eventId);
    if (own?.quarantineReason) return stillUnreadable(own.quarantineReason);

    const delivery: Delivery = {
      ...request.key,
      body,
      headers,
      contentType: row.contentType,
      secretLabel: row.secretLabel,
      origin: 'reparse',
      events: outcome.events.filter((event) => event !== own),
    };
    const duplicates = delivery.events.length === 0 ? 0 : await insert(tx, delivery, request.maxAttempts);
    if (own === undefined) await finish(tx, request.key, outcome.events.length);
    else await becomeEvent(tx, request.key, own);

    const eventIds = outcome.events.map(({ eventId }) => eventId);
    await record(tx, request, { eventIds, duplicates });
    return { outcome: 'reparsed', eventIds, duplicates };
  });
}

function stillUnreadable(reason: string) {
  return { outcome: 'still_unreadable', reason } as const;
}

interface QuarantinedRow extends Omit<StoredDelivery, 'body' | 'headers'> {
  readonly state: string;
  readonly secretLabel: string | null;
  readonly contentType: string | null;
  /** Null: the body is gone. */
  readonly body: Buffer | null;
  readonly headers: Readonly<Record<string, string>> | null;
}

/** By primary key, with plain FOR UPDATE: two operators who reparse one event do it once. */
async function lockRow(tx: Tx, key: EventKey): Promise<QuarantinedRow | undefined> {
  await sql`select set_config('lock_timeout', '5s', true)`.execute(tx);
  const { rows } = await sql<QuarantinedRow>`
    select i.state, i.delivery_id as "deliveryId", i.secret_label as "secretLabel",
      d.content_type as "contentType", d.body, d.headers
    from webhook_inbox i left join webhook_delivery d on d.delivery_id = i.delivery_id
    where i.provider = ${key.provider} and i.endpoint = ${key.endpoint} and i.event_id = ${key.eventId}
    for update of i`.execute(tx);
  return rows[0];
}

/** The same statement as a receipt's; answers how many of the events were known. */
async function insert(tx: Tx, delivery: Delivery, maxAttempts: number): Promise<number> {
  const { rows, repeated } = sortedRows([delivery]);
  const values = insertReceiptsValues([delivery], rows, { lockTimeoutMs: null, maxAttempts });
  const known = await tx.executeQuery(CompiledQuery.raw(insertReceiptsText, values));
  return known.rows.length + repeated.length;
}

async function finish(tx: Tx, key: EventKey, events: number): Promise<void> {
  await tx
    .updateTable('webhook_inbox')
    .set({
      state: 'ignored',
      state_reason: `read again: ${events === 1 ? 'one event' : `${events} events`} came of it`,
      processed_at: sql<Date>`now()`,
    })
    .where('provider', '=', key.provider)
    .where('endpoint', '=', key.endpoint)
    .where('event_id', '=', key.eventId)
    .execute();
}

async function becomeEvent(tx: Tx, key: EventKey, event: IncomingEvent): Promise<void> {
  await tx
    .updateTable('webhook_inbox')
    .set({
      state: 'pending',
      state_reason: null,
      origin: 'reparse',
      available_at: sql<Date>`now()`,
      event_type: event.eventType,
      object_key: event.objectKey,
      provider_time: event.providerTime,
      api_version: event.apiVersion,
      account: event.account,
      livemode: event.livemode,
      item_path: event.itemPath === null ? null : [...event.itemPath],
    })
    .where('provider', '=', key.provider)
    .where('endpoint', '=', key.endpoint)
    .where('event_id', '=', key.eventId)
    .execute();
}

async function record(
  tx: Tx,
  { key, actor, reason }: ReparseRequest,
  done: { readonly eventIds: readonly string[]; readonly duplicates: number },
): Promise<void> {
  const selection = { keys: [formatEventKey(key)], events: done.eventIds.slice(0, 100), duplicates: done.duplicates };
  await tx
    .insertInto('operator_actions')
    .values({ actor, action: 'reparse', reason, selection: JSON.stringify(selection), affected: done.eventIds.length })
    .execute();
}
