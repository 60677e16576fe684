import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createEffectsTable } from '../effects-table.ts';
import { check } from './check.ts';
import { checkLeftOver } from './check-left-over.ts';
import { checkMessages, type ReceivedMessage } from './check-messages.ts';
import type { Difference } from './difference.ts';
import { historyOf } from './history.ts';
import type { PostedEvent, ShownInvoice } from './posted-event.ts';

const paid = event('evt_1', { status: 'paid', amountPaid: 500 }, { type: 'invoice.paid' });
const twin = event('evt_2', { status: 'paid', amountPaid: 500 }, { type: 'invoice.paid' });
const failed = event('evt_3', { id: 'in_2', attemptCount: 2 }, { type: 'invoice.payment_failed' });
const poison = event('evt_4', { id: 'in_3', currency: 'euro' }, { type: 'invoice.paid', fate: 'throws' });
const unheard = event('evt_5', { id: 'in_4', status: 'draft' }, { acknowledged: 0 });
const posted = [paid, twin, failed, poison, unheard];

describe('the checker of a chaos run', () => {
  let db: TestDatabase;
  let client: Client;
  beforeAll(async () => {
    db = await createTestDatabase();
    client = new Client({ connectionString: db.url, application_name: 'checker-test' });
    await client.connect();
    await createEffectsTable(client);
  });
  afterAll(async () => {
    await client.end();
    await db.drop();
  });
  beforeEach(async () => {
    await client.query(`truncate webhook_inbox, webhook_delivery, inbox_failures, inbox_duplicates, invoices, ledger_entries,
      outbox, anomalies, inbox_objects, chaos_effects`);
    await plantGoodRun(client);
  });

  it('finds nothing where every event was applied once', async () => {
    expect(await check(client, posted)).toEqual([]);
    expect(await checkLeftOver(client)).toEqual([]);
  });

  it.each<{ planted: string; sql: string; found: Partial<Difference> }>([
    {
      planted: 'a loss: an acknowledged event is not in the inbox',
      sql: `with gone as (delete from webhook_inbox where event_id = 'evt_2' returning delivery_id)
            delete from webhook_delivery using gone where webhook_delivery.delivery_id = gone.delivery_id;
            delete from chaos_effects where event_id = 'evt_2'`,
      found: { kind: 'lost', key: 'evt_2' },
    },
    {
      planted: 'a loss: recorded as processed, and its effect is missing',
      sql: `delete from chaos_effects where event_id = 'evt_1'`,
      found: { kind: 'lost', key: 'evt_1' },
    },
    {
      planted: 'a loss: the booking of a payment is missing',
      sql: 'delete from ledger_entries',
      found: { kind: 'lost', key: 'in_1' },
    },
    {
      planted: 'a loss: still pending',
      sql: `update webhook_inbox set state = 'pending', processed_at = null where event_id = 'evt_3';
            delete from chaos_effects where event_id = 'evt_3'`,
      found: { kind: 'lost', key: 'evt_3' },
    },
    {
      planted: 'a double: the effect of one event twice',
      sql: `insert into chaos_effects (event_id) values ('evt_3')`,
      found: { kind: 'doubled', key: 'evt_3' },
    },
    {
      planted: 'a double: the message of one payment twice',
      sql: 'insert into outbox (topic, aggregate, payload) select topic, aggregate, payload from outbox',
      found: { kind: 'doubled', key: 'in_1' },
    },
    {
      planted: 'a wrong state: an invoice that shows an older event',
      sql: `update invoices set status = 'draft' where invoice_id = 'in_2'`,
      found: { kind: 'wrong state', key: 'in_2' },
    },
    {
      planted: 'a wrong state: a booking of another amount',
      sql: 'update ledger_entries set amount = 501',
      found: { kind: 'wrong state', key: 'in_1' },
    },
    {
      planted: 'a wrong state: poison that counts as processed',
      sql: `update webhook_inbox set state = 'processed', state_reason = null, processed_at = now() where event_id = 'evt_4'`,
      found: { kind: 'wrong state', key: 'evt_4' },
    },
    {
      planted: 'an effect of an event that never was in the inbox',
      sql: `insert into chaos_effects (event_id) values ('evt_5')`,
      found: { kind: 'unexpected', key: 'evt_5' },
    },
    {
      planted: 'an effect that nobody posted an event for',
      sql: `insert into chaos_effects (event_id) values ('evt_99')`,
      found: { kind: 'unexpected', key: 'evt_99' },
    },
    {
      planted: 'half of an event that was never acknowledged',
      sql: inboxSql('evt_5', 'invoice.created', 'in_4', `'processed', null, 1, now()`),
      found: { kind: 'lost', key: 'evt_5' },
    },
    {
      planted: 'an attempt that nobody accounts for',
      sql: `update webhook_inbox set attempts = 2, total_attempts = 2 where event_id = 'evt_1'`,
      found: { kind: 'wrong count', key: 'evt_1' },
    },
    {
      planted: 'more duplicates than posts',
      sql: `insert into inbox_duplicates values ('stripe', 'billing', 'evt_1', 2, now(), now())`,
      found: { kind: 'wrong count', key: 'evt_1' },
    },
  ])('finds $planted', async ({ sql, found }) => {
    await client.query(sql);
    expect(await check(client, posted)).toContainEqual(expect.objectContaining(found));
  });

  it('finds a lease, an advisory lock and a session that were left', async () => {
    await client.query(`update webhook_inbox set state = 'pending', processed_at = null, lease_token = gen_random_uuid(),
      leased_by = 'w', leased_until = now() where event_id = 'evt_3'`);
    const left = new Client({ connectionString: db.url, application_name: 'mailroom-worker' });
    await left.connect();
    await left.query('select pg_advisory_lock(1)');
    try {
      expect(await check(client, posted)).toContainEqual({ kind: 'left over', key: 'evt_3', detail: 'a lease' });
      const details = (await checkLeftOver(client)).map(({ detail }) => detail);
      expect(details.toSorted()).toEqual(['a session', 'an advisory lock']);
    } finally {
      await left.end();
    }
  });

  describe('of messages', () => {
    const [first, second, other] = [message(1, 'a'), message(2, 'a'), message(3, 'b')];
    beforeEach(async () => {
      await client.query(`delete from outbox;
        insert into outbox (outbox_id, topic, aggregate, payload, event_id, state, published_at) overriding system value
        select id, 'thing.happened', aggregate, '{}', 'evt_' || id, 'published', now()
        from (values (1, 'a'), (2, 'a'), (3, 'b')) as t (id, aggregate)`);
    });

    it('finds nothing where each was received, those of an aggregate in order, and some again', async () => {
      expect(await checkMessages(client, [other, first, first, second, first, second])).toEqual({
        counts: { rows: 3, received: 6, duplicates: 3, lost: 0, outOfOrder: 0 },
        differences: [],
      });
    });

    it.each<{ planted: string; received: readonly ReceivedMessage[]; found: Partial<Difference> }>([
      { planted: 'one that was never received', received: [first, second], found: { kind: 'lost', key: 'evt_3' } },
      {
        planted: 'one that is not in the outbox, such as a duplicate under another id',
        received: [first, second, other, { ...other, id: '4' }],
        found: { kind: 'unexpected', key: 'b' },
      },
      {
        planted: 'two of one aggregate that were swapped',
        received: [second, first, second, other],
        found: { kind: 'out of order', key: 'a' },
      },
      {
        planted: 'another message under an id that was used before',
        received: [first, second, other, { ...other, body: '{}' }],
        found: { kind: 'wrong state', key: 'evt_3' },
      },
    ])('finds $planted', async ({ received, found }) => {
      const { differences } = await checkMessages(client, received);
      expect(differences).toEqual([expect.objectContaining(found)]);
    });

    it('finds one that was received and is not marked as sent', async () => {
      await client.query(`update outbox set state = 'pending', published_at = null where outbox_id = 3`);
      const { differences } = await checkMessages(client, [first, second, other]);
      expect(differences).toEqual([expect.objectContaining({ kind: 'wrong state', key: 'evt_3' })]);
    });
  });

  it('shows the whole history of an event that differs', async () => {
    const lines = await historyOf(client, 'evt_4');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['webhook_inbox', 'inbox_failures']);
  });
});

async function plantGoodRun(client: Client): Promise<void> {
  const processed = `'processed', null, 1, now()`;
  await client.query(`
    ${inboxSql('evt_1', 'invoice.paid', 'in_1', processed)};
    ${inboxSql('evt_2', 'invoice.paid', 'in_1', processed)};
    ${inboxSql('evt_3', 'invoice.payment_failed', 'in_2', processed)};
    ${inboxSql('evt_4', 'invoice.paid', 'in_3', `'exhausted', 'attempts used up', 1, null`)};
    insert into inbox_failures (provider, endpoint, event_id, attempt, worker, class, message)
    values ('stripe', 'billing', 'evt_4', 1, 'w', 'constraint', 'no such currency');
    insert into invoices (invoice_id, status, currency, amount_due, amount_paid, snapshot_at, snapshot_event_id, failed_payments)
    values ('in_1', 'paid', 'eur', 500, 500, now(), 'evt_2', 0), ('in_2', 'open', 'eur', 500, 0, now(), 'evt_3', 2);
    insert into ledger_entries (invoice_id, kind, amount, currency, provider, endpoint, event_id)
    values ('in_1', 'payment', 500, 'eur', 'stripe', 'billing', 'evt_1');
    insert into outbox (topic, aggregate, payload) values ('invoice.paid', 'stripe:invoice:in_1', '{}');
    insert into chaos_effects (event_id) values ('evt_1'), ('evt_2'), ('evt_3')`);
}

function message(id: number, aggregate: string): ReceivedMessage {
  return { id: String(id), topic: 'thing.happened', aggregate, body: `{"id":"${id}"}` };
}

/** `end`: state, its reason, attempts, processed at. */
function inboxSql(id: string, type: string, invoice: string, end: string): string {
  return `with body as (
      insert into webhook_delivery (delivery_id, provider, endpoint, body)
      values (gen_random_uuid(), 'stripe', 'billing', '{}') returning delivery_id
    )
    insert into webhook_inbox (provider, endpoint, event_id, delivery_id, event_type, object_key, max_attempts, total_attempts,
      state, state_reason, attempts, processed_at)
    select 'stripe', 'billing', '${id}', delivery_id, '${type}', 'invoice/${invoice}', 3, 1, ${end} from body`;
}

function event(id: string, shown: Partial<ShownInvoice>, differing: Partial<PostedEvent> = {}): PostedEvent {
  const invoice = {
    id: 'in_1',
    status: 'open',
    currency: 'eur',
    amountDue: 500,
    amountPaid: 0,
    attemptCount: 0,
    ...shown,
  } as const;
  const created = 1_790_000_000;
  return { id, type: 'invoice.created', created, fate: 'applies', invoice, posts: 1, acknowledged: 1, ...differing };
}
