import { readFileSync } from 'node:fs';
import type { Database } from '@mailroom/db';
import {
  createSecretUseRecorder,
  processEvent,
  pruneAlone,
  receiveAndProcess,
  recordRejection,
  retentionRules,
  retryEvents,
  trimRejections,
} from '@mailroom/inbox';
import { done, type HandlerOutcome, reject, silentLogger } from '@mailroom/kernel';
import { skipMessages } from '@mailroom/outbox';
import { schemeOf } from '@mailroom/providers';
import { asOnlyRunner, type EventSource, standingOf, sweepEvents, trimCoverage } from '@mailroom/reconcile';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { askFor, startStage, stripeEvent } from '../effects/stripe-stage.ts';
import { retention, seedOldEvent, seedOldRows } from '../inbox/old-rows.ts';
import { bookingHandler } from '../support/booking-handler.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  bookEffect,
  claimOne,
  delivery,
  effectsOf,
  emptyInbox,
  inboxRow,
  processOptions,
  testReceiver,
} from '../support/inbox-fixtures.ts';

import {
  appendTo,
  notingSink,
  outboxRow,
  outboxStateCounts,
  testRelay,
  waitForSent,
} from '../support/outbox-fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

describe('least-privilege roles of infra/postgres/roles.sql', () => {
  let db: TestDatabase;
  let as: Record<'ingest' | 'worker' | 'pruner' | 'operator', Database>;
  beforeAll(async () => {
    db = await createTestDatabase();
    const roles = readFileSync(new URL('../../infra/postgres/roles.sql', import.meta.url), 'utf8');
    await db.database.pool.query(roles);
    await db.database.pool.query(roles);
    as = { ingest: opened('ingest'), worker: opened('worker'), pruner: opened('pruner'), operator: opened('operator') };
  });
  beforeEach(() => emptyInbox(db.database));
  afterAll(() => db.drop());

  it('are enough to send messages and to skip one', async () => {
    const ids = await appendTo(as.worker, 'a', 'a');
    const relay = testRelay(
      as.worker,
      notingSink(({ id }) => (id === ids[0] ? { outcome: 'permanent', reason: 'no' } : { outcome: 'sent' })),
    );
    await waitFor('the first to need review', async () => {
      return (await outboxRow(db.database, ids[0])).state === 'needs_review';
    });
    const skipped = await skipMessages(as.operator, { ids: [ids[0] ?? ''], actor: 'alice', reason: 'by hand' });
    expect(skipped).toEqual([{ id: ids[0], outcome: 'done' }]);
    await waitForSent(db.database);
    await relay.drain();
    expect(await outboxStateCounts(db.database)).toEqual({ skipped: 1, published: 1 });
  });

  it('are enough to call Stripe, to wait where it asks for that, and to take its answers in as events', async () => {
    const stage = await startStage(as.worker);
    const id = await askFor(as.worker, stripeEvent('evt_1'), {
      operation: 'refunds.create',
      params: { charge: 'ch_1' },
      fact: 'returned',
    });
    stage.fake.faults.next({ on: 'POST /v1/refunds', answer: 429 });
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'postponed' });
    await db.database.pool.query('update provider_limits set not_before = now()');
    stage.fake.faults.next({ on: 'POST /v1/refunds', answer: 402 });
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'permanent' });
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'sent' });

    const receiver = testReceiver(as.worker);
    for (const _ of [1, 2]) {
      await receiver.receive(delivery('refetch:1', { origin: 'outbox' }));
    }
    await receiver.close();
    expect(await inboxRow(db.database, 'refetch:1')).toMatchObject({ origin: 'outbox' });
    await stage.close();
  });

  it('are enough to receive, to work off and to retry', async () => {
    const receiver = testReceiver(as.ingest);
    await receiver.receive(delivery('evt_1'));
    await receiver.receive(delivery('evt_1'));
    await receiver.close();
    expect(await db.database.kysely.selectFrom('inbox_duplicates').selectAll().execute()).toHaveLength(1);

    const options = processOptions(as.worker);
    await processEvent(await claimOne(as.worker), () => Promise.reject(new Error('once')), options);
    const key = { provider: 'stripe', endpoint: 'billing', eventId: 'evt_1' };
    expect(await retryEvents(as.operator, { keys: [key], actor: 'alice', reason: 'mended' })).toEqual([
      { key: 'stripe/billing/evt_1', outcome: 'retried' },
    ]);
    const work = async (tx: Parameters<typeof bookEffect>[0]) => {
      await bookEffect(tx, 'evt_1');
      return done;
    };
    expect(await processEvent(await claimOne(as.worker), work, options)).toEqual({ outcome: 'processed' });
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'processed' });
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);
  });

  it('are enough for an operator to let in what a provider lists and we have not', async () => {
    const body = Buffer.from('{"id":"evt_1","object":"event","type":"invoice.paid","created":1790000000}');
    const source: EventSource = {
      provider: 'stripe',
      endpoint: 'billing',
      account: null,
      scheme: schemeOf('stripe'),
      reachMs: 86_400_000,
      knownBy: 'id',
      async *list() {
        yield [{ body, headers: {} }];
      },
    };
    const receiver = testReceiver(as.operator);
    const request = { task: 'reconcile', holder: 'alice', leaseMs: 60_000 };
    const now = new Date();
    await asOnlyRunner(as.operator, request, (runner) =>
      sweepEvents(source, {
        database: as.operator,
        receiver,
        runner,
        now,
        since: new Date(now.getTime() - 3_600_000),
        until: null,
        ledgerRetentionDays: 90,
      }),
    );
    await receiver.close();
    await trimCoverage(as.operator, 90);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'pending', origin: 'reconcile' });
    expect(await standingOf(as.worker.kysely)).toMatchObject({ openFindings: 0, silent: [] });
  });

  it('of ingest and worker together are enough for a server that receives and processes', async () => {
    await db.database.pool.query('create role mailroom_embedded nologin in role mailroom_ingest, mailroom_worker');
    try {
      const server = db.open({ url: `${db.url}?options=${encodeURIComponent('-c role=mailroom_embedded')}` });
      const receive = (eventId: string, outcome: HandlerOutcome) =>
        receiveAndProcess(server, delivery(eventId), [bookingHandler(() => outcome)]);
      expect(await receive('evt_1', done)).toMatchObject([{ outcome: 'processed' }]);
      expect(await receive('evt_1', done)).toMatchObject([{ outcome: 'duplicate' }]);
      expect(await receive('evt_2', reject('bad', 'no'))).toMatchObject([{ outcome: 'rejected' }]);
    } finally {
      await db.database.pool.query('drop role mailroom_embedded');
    }
  });

  it('are enough to keep and to trim the record of rejections, and to count what secrets matched', async () => {
    const recorder = createSecretUseRecorder(as.ingest, silentLogger);
    for (const _ of [1, 2]) recorder.matched({ provider: 'stripe', endpoint: 'billing', secretLabel: 'live' });
    await recorder.close();
    await recordRejection(as.ingest, {
      provider: 'stripe',
      endpoint: 'billing',
      reason: 'signature_missing',
      diagnosis: 'no_header',
      explanation: 'no Stripe-Signature header',
      secretLabel: null,
      skewMs: null,
      bodySha256: '0'.repeat(64),
      bodyBytes: 0,
      contentType: null,
      contentEncoding: null,
      headerNames: [],
      body: Buffer.alloc(1),
    });
    await trimRejections(as.ingest, { maxRows: 0, maxBodies: 0, maxAgeMs: 0 });
    expect(await db.database.kysely.selectFrom('inbox_rejections').selectAll().execute()).toEqual([]);
    expect(await db.database.kysely.selectFrom('inbox_secret_uses').select('matches').execute()).toEqual([
      { matches: '2' },
    ]);
  });

  it('are enough to delete what is kept no longer', async () => {
    await seedOldEvent(db.database, { eventId: 'old', days: 400 });
    await seedOldRows(db.database, 'old', 400);
    const chore = { name: 'prune', holder: 'w1', leaseMs: 60_000, everyMs: 0 };
    const pruned = await pruneAlone(as.pruner, chore, { retention, redeliveryMsOf: () => null });
    expect(pruned?.map(({ rule, rows }) => [rule.table, rows > 0])).toEqual(
      retentionRules.map(({ table }) => [table, true]),
    );
    await db.database.pool.query('delete from housekeeping');
  });

  it.each([
    ['ingest', 'update webhook_inbox set attempts = 0'],
    ['ingest', 'delete from webhook_inbox'],
    ['ingest', 'select from invoices'],
    ['worker', 'delete from webhook_inbox'],
    ['worker', "update webhook_delivery set body = ''"],
    ['worker', 'delete from ledger_entries'],
    ['pruner', "update webhook_inbox set state = 'processed'"],
    ['pruner', "update operator_actions set reason = 'other'"],
    ['pruner', 'delete from ledger_entries'],
    ['operator', 'delete from webhook_inbox'],
    ['operator', "update operator_actions set reason = 'other'"],
    ['operator', 'delete from invoices'],
  ] as const)('do not let %s run: %s', async (role, statement) => {
    await expect(as[role].pool.query(statement)).rejects.toMatchObject({ code: '42501' });
  });

  /** A pool whose connections have put on the role, as a login granted it would be. */
  function opened(role: keyof typeof as): Database {
    return db.open({ url: `${db.url}?options=${encodeURIComponent(`-c role=mailroom_${role}`)}` });
  }
});
