import type { Tx } from '@mailroom/db';
import { type EventKey, formatEventKey } from '@mailroom/kernel';
import { sql } from 'kysely';

/** What the event left behind. Payloads and results are not among it. */
export interface Effects {
  readonly outbox: readonly OutboxEffect[];
  readonly ledgerEntries: readonly LedgerEffect[];
  readonly anomalies: readonly AnomalyEffect[];
  readonly operatorActions: readonly OperatorAction[];
}

export interface OutboxEffect {
  /** int8, therefore text. */
  readonly outboxId: string;
  readonly topic: string;
  readonly aggregate: string;
  readonly state: string;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly publishedAt: Date | null;
  readonly lastError: string | null;
}

export interface LedgerEffect {
  readonly entryId: string;
  readonly invoiceId: string;
  readonly kind: string;
  /** Minor units, as text: amounts go beyond 2^53. */
  readonly amount: string;
  readonly currency: string;
  readonly bookedAt: Date;
}

export interface AnomalyEffect {
  readonly kind: string;
  readonly objectKey: string;
  readonly seenAt: Date;
  readonly closedAt: Date | null;
}

export interface OperatorAction {
  readonly actionId: string;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly reason: string;
  /** Whether it changed this event, or only asked to. */
  readonly changed: boolean;
}

/**
 * Nothing indexes these tables by event, for an index would cost every effect to serve one command: they are searched whole.
 * Run it in a transaction of its own with a short statement_timeout.
 */
export async function effectsOfEvent(tx: Tx, key: EventKey): Promise<Effects> {
  return {
    outbox: await outboxRows(tx, key),
    ledgerEntries: await ledgerEntries(tx, key),
    anomalies: await anomalies(tx, key),
    operatorActions: await operatorActions(tx, key),
  };
}

async function outboxRows(tx: Tx, key: EventKey): Promise<readonly OutboxEffect[]> {
  return tx
    .selectFrom('outbox')
    .select(['outbox_id as outboxId', 'topic', 'aggregate', 'state', 'attempts', 'last_error as lastError'])
    .select(['created_at as createdAt', 'published_at as publishedAt'])
    .where('provider', '=', key.provider)
    .where('endpoint', '=', key.endpoint)
    .where('event_id', '=', key.eventId)
    .orderBy('outbox_id')
    .limit(atMost)
    .execute();
}

async function ledgerEntries(tx: Tx, key: EventKey): Promise<readonly LedgerEffect[]> {
  return tx
    .selectFrom('ledger_entries')
    .select(['entry_id as entryId', 'invoice_id as invoiceId', 'kind', 'amount', 'currency', 'booked_at as bookedAt'])
    .where('provider', '=', key.provider)
    .where('endpoint', '=', key.endpoint)
    .where('event_id', '=', key.eventId)
    .orderBy('entry_id')
    .limit(atMost)
    .execute();
}

/** Anomalies name the events they come from among the values of their detail. */
async function anomalies(tx: Tx, key: EventKey): Promise<readonly AnomalyEffect[]> {
  return tx
    .selectFrom('anomalies')
    .select(['kind', 'object_key as objectKey', 'seen_at as seenAt', 'closed_at as closedAt'])
    .where(sql<boolean>`exists (select from jsonb_each_text(detail) as item where item.value = ${key.eventId})`)
    .orderBy('anomaly_id')
    .limit(atMost)
    .execute();
}

async function operatorActions(tx: Tx, key: EventKey): Promise<readonly OperatorAction[]> {
  const asked = JSON.stringify({ keys: [formatEventKey(key)] });
  const changed = JSON.stringify({ retried: [formatEventKey(key)] });
  return tx
    .selectFrom('operator_actions')
    .select(['action_id as actionId', 'acted_at as at', 'actor', 'action', 'reason'])
    .select(sql<boolean>`selection @> ${changed}::jsonb`.as('changed'))
    .where(sql<boolean>`selection @> ${asked}::jsonb`)
    .orderBy('action_id')
    .limit(atMost)
    .execute();
}

const atMost = 50;
