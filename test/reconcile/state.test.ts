import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type StripeFake, startStripeFake } from '../support/stripe-fake/start-stripe-fake.ts';
import { waitFor } from '../support/wait-for.ts';
import { startWorkerProcess } from '../worker/worker-process.ts';
import { type MailroomBesideStripe, mailroomBesideStripe } from './mailroom-beside-stripe.ts';
import { invoiceAt } from './stripe-history.ts';
import { emptyReconciliation } from './sweep-setup.ts';

interface Findings {
  readonly findings: readonly {
    readonly id: string;
    readonly kind: string;
    readonly objectKey: string;
    readonly ours: string | null;
    readonly theirs: string;
    readonly reopened: number;
    readonly closedBy: string | null;
  }[];
}

let db: TestDatabase;
let fake: StripeFake;
let beside: MailroomBesideStripe;
beforeAll(async () => void (db = await createTestDatabase()));
beforeEach(async () => {
  await emptyReconciliation(db.database);
  fake = await startStripeFake();
  beside = await mailroomBesideStripe(db.url, fake);
}, 60_000);
afterEach(async () => {
  await beside.stop();
  await fake.close();
});
afterAll(() => db.drop());

/** An invoice at Stripe, and the events that we have received and handled of it. */
async function invoice(tag: string, atStripe: string, received: readonly string[], differing: object = {}) {
  const now = fake.clock.now();
  fake.account().put('invoices', { ...invoiceAt(atStripe, tag, now), ...differing });
  for (const stage of received) fake.account().emit(stage, invoiceAt(stage, tag, now));
  await fake.sender.idle();
}

async function workOff(): Promise<void> {
  const worker = await startWorkerProcess(db.url);
  await waitFor('all events to be processed', async () => {
    const { rows } = await db.database.pool.query<{ state: string }>('select state from webhook_inbox');
    return rows.every(({ state }) => state === 'processed');
  });
  await worker.stop();
}

const findings = async (...args: readonly string[]) =>
  (await beside.mailroomJson<Findings>('findings', 'list', ...args)).findings.toSorted((a, b) =>
    a.objectKey < b.objectKey ? -1 : 1,
  );
const compare = () => beside.mailroom('reconcile', 'state', '--endpoint', 'stripe/billing');

describe('a comparison with Stripe', () => {
  test('finds what is missing, what differs, and money on a void invoice, and nothing else', async () => {
    await invoice('Same', 'invoice.paid', ['invoice.created', 'invoice.paid']);
    await invoice('Missing', 'invoice.paid', []);
    await invoice('Status', 'invoice.paid', ['invoice.finalized']);
    await invoice('Amount', 'invoice.finalized', ['invoice.finalized'], { amount_due: 9900 });
    await invoice('Void', 'invoice.voided', ['invoice.paid'], { amount_paid: 4522 });
    fake.account().put('subscriptions', { id: 'sub_1', status: 'active' });
    await workOff();
    const { code, stdout, stderr } = await compare();
    expect(code).toBe(1);
    expect(stdout).toMatch(/stripe\/billing +invoices +5 +4 +0 +4 +0/);
    // In a pipe, what is new is logged too.
    expect(stderr.match(/"finding_opened"/g)).toHaveLength(5);
    expect((await findings()).map(({ kind, objectKey }) => [objectKey, kind])).toEqual([
      ['invoice/in_Amount', 'amount_differs'],
      ['invoice/in_Missing', 'missing'],
      ['invoice/in_Status', 'status_differs'],
      ['invoice/in_Void', 'paid_on_void'],
      ['subscription/sub_1', 'missing'],
    ]);
    const { rows } = await db.database.pool.query("select from webhook_inbox where origin = 'reconcile'");
    expect(rows).toHaveLength(0);
  });

  test('leaves out what an event is about to change', async () => {
    await invoice('OnTheWay', 'invoice.paid', ['invoice.paid']);
    const { code, stdout } = await compare();
    expect(stdout).toMatch(/invoices +1 +0 +1 +0 +0/);
    expect(code).toBe(0);
    expect(await findings()).toEqual([]);
  });

  test('is made right by a repair that goes through the inbox, and closes the finding when it is clean', async () => {
    await invoice('Lost', 'invoice.paid', ['invoice.finalized']);
    fake.account().put('subscriptions', { id: 'sub_1', status: 'active' });
    await workOff();
    await compare();
    for (const { id } of await findings()) {
      expect(await beside.mailroom('findings', 'repair', id, '--reason', 'lost')).toMatchObject({ code: 0 });
    }
    const { rows } = await db.database.pool.query(
      "select event_type as type, object_key as key, state from webhook_inbox where origin = 'reconcile' order by 1",
    );
    expect(rows).toEqual([
      { type: 'mailroom.refetched.invoice', key: 'invoice/in_Lost', state: 'pending' },
      { type: 'mailroom.refetched.subscription', key: 'subscription/sub_1', state: 'pending' },
    ]);
    await workOff();
    const booked = await db.database.pool.query("select amount from ledger_entries where invoice_id = 'in_Lost'");
    expect(booked.rows).toEqual([{ amount: '4522' }]);
    expect(await compare()).toMatchObject({ code: 0 });
    expect(await findings()).toEqual([]);
    expect((await findings('--all')).map(({ closedBy }) => closedBy)).toEqual(['rule:reconcile', 'rule:reconcile']);
    const actions = await db.database.pool.query('select action, actor, reason from operator_actions');
    expect(actions.rows).toEqual([1, 2].map(() => ({ action: 'repair_finding', actor: 'tester', reason: 'lost' })));
  });

  test('opens again what a person has closed too early, and says when the same repair has come in before', async () => {
    // Ours says paid and never goes back, so letting Stripe's object in changes nothing.
    await invoice('Stuck', 'invoice.finalized', ['invoice.paid']);
    await workOff();
    await compare();
    const [first] = await findings();
    if (!first) throw new Error('no finding');
    expect(await beside.mailroom('findings', 'close', first.id, '--reason', 'seen')).toMatchObject({ code: 0 });
    expect(await findings()).toEqual([]);
    await compare();
    expect(await findings()).toMatchObject([{ id: first.id, reopened: 1 }]);
    expect(await beside.mailroom('findings', 'repair', first.id, '--reason', 'try')).toMatchObject({ code: 0 });
    await workOff();
    await compare();
    const again = await beside.mailroom('findings', 'repair', first.id, '--reason', 'try again');
    expect(again.code).toBe(1);
    expect(again.stdout).toContain('has come in before');
    expect(await beside.mailroom('findings', 'close', '99', '--reason', 'x')).toMatchObject({ code: 1 });
    expect(await beside.mailroom('findings', 'repair', first.id)).toMatchObject({ code: 2 });
  });
});

describe('the registrations at Stripe', () => {
  test('are fine while they are there, and their loss is told by exit code, doctor, log and findings', async () => {
    expect(await beside.mailroom('reconcile', 'subscriptions')).toMatchObject({ code: 0, stderr: '' });
    const [own, connect] = fake.account().all('webhook_endpoints');
    if (!own || !connect) throw new Error('not registered');
    fake.account().put('webhook_endpoints', { ...own, status: 'disabled' });
    fake.account().remove('webhook_endpoints', connect.id);
    const { code, stdout, stderr } = await beside.mailroom('reconcile', 'subscriptions');
    expect(code).toBe(1);
    expect(stdout).toContain('registration_disabled');
    expect(stdout).toContain('registration_missing');
    expect(stderr.match(/"finding_opened"/g)).toHaveLength(2);
    expect((await findings()).map(({ kind }) => kind).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      'registration_disabled',
      'registration_missing',
    ]);
    expect((await beside.mailroom('doctor')).stdout).toMatch(/wrong +findings +2 open/);
    expect((await beside.mailroom('status')).stdout).toContain('2 open findings');
    const [first] = await findings();
    expect((await beside.mailroom('findings', 'repair', first?.id ?? '', '--reason', 'x')).stdout).toContain(
      'no repair',
    );

    fake.account().put('webhook_endpoints', own);
    fake.account().put('webhook_endpoints', connect);
    expect(await beside.mailroom('reconcile', 'subscriptions')).toMatchObject({ code: 0 });
    expect(await findings()).toEqual([]);
  });
});
