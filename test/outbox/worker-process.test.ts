import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { emptyInbox, testReceiver } from '../support/inbox-fixtures.ts';
import { appendTo, outboxStateCounts } from '../support/outbox-fixtures.ts';
import { waitFor } from '../support/wait-for.ts';
import { paidEvent } from '../worker/paid-event.ts';
import { startWorkerProcess } from '../worker/worker-process.ts';
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts';
import { signingKey } from './sinks-under-test.ts';

describe('the relay of a worker process', () => {
  let db: TestDatabase;
  let receiver: HttpReceiver;
  let folder: string;
  beforeAll(async () => {
    db = await createTestDatabase();
    receiver = await startHttpReceiver();
    folder = mkdtempSync(join(tmpdir(), 'mailroom-sinks-'));
    const common = { type: 'http', url: receiver.url, secrets: ['env:RECEIVER_SECRET'], allowPrivateAddresses: true };
    const sinks = [{ ...common, name: 'receiver', topics: ['invoice.*'] }];
    writeFileSync(join(folder, 'sinks.json'), JSON.stringify({ sinks }));
  });
  beforeEach(() => emptyInbox(db.database));
  afterAll(async () => {
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
    await db.drop();
  });

  it('sends what handlers append to the sink of its topic, signed, and keeps what no sink takes', async () => {
    const [kept] = await appendTo(db.database, 'nobody:1');
    const worker = await startWorkerProcess(db.url, {
      MAILROOM_SINKS_FILE: join(folder, 'sinks.json'),
      RECEIVER_SECRET: `whsec_${signingKey}`,
    });
    const inbox = testReceiver(db.database);
    await inbox.receive(paidEvent('evt_1', 'in_1'));
    await inbox.close();
    await waitFor('the message to be sent', async () => (await outboxStateCounts(db.database))['published'] === 1);
    await waitFor('the other to be set aside', async () => (await outboxStateCounts(db.database))['unrouted'] === 1);
    const scrape = await metricsOf(worker);
    expect(await worker.stop()).toEqual({ code: 0, signal: null });

    const [post] = receiver.posts;
    const body = new Webhook(`whsec_${signingKey}`).verify(post?.body ?? '', post?.headers as Record<string, string>);
    expect(body).toMatchObject({
      type: 'invoice.paid',
      source: 'stripe/billing/evt_1',
      aggregate: 'stripe:invoice:in_1',
    });
    const { rows } = await db.database.pool.query("select outbox_id, state from outbox where state = 'unrouted'");
    expect(rows).toEqual([{ outbox_id: kept, state: 'unrouted' }]);
    expect(scrape).toMatch(/mailroom_outbox_sends_total\{sink="receiver",outcome="sent"\} 1/);
    expect(scrape).toMatch(/mailroom_outbox_messages\{state="unrouted"\} 1/);
    const lines = worker.stdout
      .filter((line) => line.includes('"message_sent"'))
      .map((line) => JSON.parse(line) as object);
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ topic: 'invoice.paid', sink: 'receiver', outcome: 'sent', attempt: 1 }),
        expect.objectContaining({ topic: 'thing.happened', sink: null, outcome: 'unrouted' }),
      ]),
    );
    expect(worker.lines.join('\n')).not.toContain(signingKey);
  });

  it('leaves messages as they are where it is switched off, and where there is no sink', async () => {
    await appendTo(db.database, 'a');
    const workers = [
      await startWorkerProcess(db.url, { OUTBOX_RELAY: 'off', OUTBOX_UNROUTED: 'log' }),
      await startWorkerProcess(db.url, {}),
    ];
    const inbox = testReceiver(db.database);
    await inbox.receive(paidEvent('evt_2', 'in_2'));
    await inbox.close();
    await waitFor('the event to be processed', async () => (await outboxStateCounts(db.database))['pending'] === 2);
    for (const worker of workers) await worker.stop();
    expect(await outboxStateCounts(db.database)).toEqual({ pending: 2 });
  });

  it('writes to the log what no sink takes, where it is told to', async () => {
    await appendTo(db.database, 'a');
    const worker = await startWorkerProcess(db.url, { OUTBOX_UNROUTED: 'log' });
    await waitFor('the message to be logged', async () => (await outboxStateCounts(db.database))['published'] === 1);
    await worker.stop();
    expect(worker.stdout.filter((line) => line.includes('"message_logged"'))).toHaveLength(1);
  });
});

async function metricsOf(worker: { readonly stdout: readonly string[] }): Promise<string> {
  const started = worker.stdout.find((line) => line.includes('"worker_started"')) ?? '{}';
  const { admin_port } = JSON.parse(started) as { readonly admin_port: number };
  const response = await fetch(`http://127.0.0.1:${admin_port}/metrics`);
  return await response.text();
}
