import type { Database } from '@mailroom/db';
import type { Retention } from '@mailroom/inbox';
import { uuidv7 } from '@mailroom/kernel';

/** A retention in which every table has an age of its own. */
export const retention: Retention = {
  ledgerDays: 90,
  bodyDays: 30,
  failureDays: 60,
  actionDays: 365,
  rejectionDays: 7,
  outboxDays: 20,
  findingDays: 50,
};

export interface OldEvent {
  readonly eventId: string;
  readonly days: number;
  /** A finished one where it is missing. */
  readonly state?: keyof typeof columnsOf;
  /** Of another event, whose body it shares. */
  readonly deliveryId?: string;
}

const columnsOf = {
  processed: "'processed', null, null, 0, 0",
  ignored: "'ignored', 'nothing to do', null, 0, 0",
  pending: "'pending', null, null, 0, 0",
  held: "'held', 'paused', 'pause:1', 0, 0",
  exhausted: "'exhausted', 'attempts used up', null, 3, 3",
  rejected: "'rejected', 'not ours', null, 1, 1",
  parked: "'parked', null, null, 0, 0",
  quarantined: "'quarantined', 'not JSON', null, 0, 0",
} as const;

export const unfinishedStates = ['pending', 'held', 'exhausted', 'rejected', 'parked', 'quarantined'] as const;

/** An event that came and, where it did, ended so many days ago, with its body. Answers the id of its delivery. */
export async function seedOldEvent(database: Database, event: OldEvent): Promise<string> {
  const { eventId, days, state = 'processed' } = event;
  const deliveryId = event.deliveryId ?? uuidv7(Date.now() - days * 86_400_000);
  await database.pool.query(
    `with body as (
      insert into webhook_delivery (delivery_id, provider, endpoint, received_at, body)
      values ($2, 'stripe', 'billing', now() - $3 * interval '1 day', convert_to('{"id":"' || $1 || '"}', 'UTF8'))
      on conflict do nothing
    )
    insert into webhook_inbox (provider, endpoint, event_id, delivery_id, event_type, max_attempts, received_at, processed_at,
      state, state_reason, held_by, attempts, total_attempts)
    select 'stripe', 'billing', $1, $2, 'test.event', 3, now() - $3 * interval '1 day',
      case when $4 then now() - $3 * interval '1 day' end, ${columnsOf[state]}`,
    [eventId, deliveryId, days, state === 'processed' || state === 'ignored'],
  );
  return deliveryId;
}

/** One row of every other table that has a retention, so many days old and as finished as it can be. */
export async function seedOldRows(database: Database, name: string, days: number): Promise<void> {
  const at = `now() - ${days} * interval '1 day'`;
  const texts = [
    `insert into inbox_duplicates values ('stripe', 'billing', '${name}', 1, ${at}, ${at})`,
    `insert into inbox_failures (provider, endpoint, event_id, attempt, worker, class, message, failed_at)
     values ('stripe', 'billing', '${name}', 1, 'w1', 'handler', 'no', ${at})`,
    `insert into failure_groups (failure_group, provider, event_type, class, message, last_seen_at)
     values (left(md5('${name}'), 16), 'stripe', 'test.event', 'handler', 'no', ${at})`,
    `insert into inbox_rejections (provider, endpoint, reason, diagnosis, explanation, body_sha256, body_bytes, header_names, rejected_at)
     values ('stripe', 'billing', 'signature_missing', 'no_header', '${name}', repeat('0', 64), 0, '{}', ${at})`,
    `insert into outbox (topic, aggregate, payload, created_at, published_at, state)
     values ('t', '${name}', '{}', ${at}, ${at}, 'published')`,
    `insert into effect_results (effect_key, provider, operation, request_hash, outbox_id, result, known_by, recorded_at)
     values ('${name}', 'stripe', 'o', repeat('0', 64), 0, '{}', 'answer', ${at})`,
    `insert into anomalies (kind, object_key, detail, closed_at) values ('k', '${name}', '{}', ${at})`,
    `insert into findings (provider, endpoint, account, kind, object_key, closed_at, closed_by, close_reason)
     values ('stripe', 'billing', '', 'missing', '${name}', ${at}, 'alice', 'seen')`,
    `insert into operator_actions (actor, action, reason, selection, affected, acted_at)
     values ('alice', 'retry', '${name}', '{}', 1, ${at})`,
    `insert into pauses (scope, provider, endpoint, opened_by, reason, ended_at, ended_by)
     values ('endpoint', 'stripe', 'billing', 'alice', '${name}', ${at}, 'alice')`,
    `insert into inbox_secret_uses values ('stripe', 'billing', '${name}', (${at})::date, 1, ${at})`,
  ];
  for (const text of texts) await database.pool.query(text);
}
