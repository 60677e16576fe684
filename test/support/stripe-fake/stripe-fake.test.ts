import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Stripe } from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProcess } from '../start-process.ts';
import { waitFor } from '../wait-for.ts';
import { hourMs } from './fake-clock.ts';
import { type StripeFake, startStripeFake } from './start-stripe-fake.ts';

const secret = 'whsec_fake';

describe('the Stripe fake, seen by the real SDK', () => {
  let fake: StripeFake;
  let stripe: Stripe;
  beforeEach(async () => {
    fake = await startStripeFake();
    stripe = new Stripe('sk_test_fake', { ...fake.sdk, maxNetworkRetries: 0 });
  });
  afterEach(() => fake.close());

  const refund = (idempotencyKey: string, amount = 100) =>
    stripe.refunds.create({ charge: 'ch_1', amount, metadata: { why: 'test' } }, { idempotencyKey });
  const chargeOf = (amount: number) => fake.account().put('charges', { id: 'ch_1', amount, currency: 'eur' });

  it('pages events both ways, newest first, and filters them', async () => {
    const account = fake.account();
    const start = Math.floor(fake.clock.now() / 1000);
    for (let n = 0; n < 250; n += 1) {
      account.emit(
        n % 2 ? 'invoice.paid' : 'charge.refunded',
        { id: `in_${n}` },
        { id: `evt_${n}`, created: start + n },
      );
    }
    const all = await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 1000 });
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 250 }, (_, n) => `evt_${249 - n}`));
    const back = await stripe.events.list({ limit: 2, ending_before: 'evt_10' });
    expect([back.data.map(({ id }) => id), back.has_more]).toEqual([['evt_12', 'evt_11'], true]);
    const some = await stripe.events.list({ created: { gte: start + 3, lt: start + 8 }, types: ['invoice.paid'] });
    expect(some.data.map(({ id }) => id)).toEqual(['evt_7', 'evt_5', 'evt_3']);
    expect((await stripe.events.list({ type: 'invoice.*', limit: 1 })).data).toHaveLength(1);
    await fake.clock.advance(31 * 24 * hourMs);
    expect((await stripe.events.list()).data).toEqual([]);
    await expect(stripe.events.list({ starting_after: 'evt_none' })).rejects.toMatchObject({
      code: 'resource_missing',
    });
  });

  it('keeps the data of connected accounts apart and lists the accounts', async () => {
    fake.account('acct_1').put('invoices', { id: 'in_1', status: 'paid' });
    expect(await stripe.invoices.retrieve('in_1', {}, { stripeAccount: 'acct_1' })).toMatchObject({ status: 'paid' });
    await expect(stripe.invoices.retrieve('in_1')).rejects.toMatchObject({ statusCode: 404 });
    await expect(stripe.events.list({}, { stripeAccount: 'acct_2' })).rejects.toMatchObject({ statusCode: 403 });
    expect((await stripe.accounts.list()).data.map(({ id }) => id)).toEqual(['acct_1']);
  });

  it('lists subscriptions without the ended ones unless asked', async () => {
    fake.account().put('subscriptions', { id: 'sub_1', status: 'active' });
    await stripe.subscriptions.cancel('sub_1');
    expect((await stripe.subscriptions.list()).data).toEqual([]);
    expect((await stripe.subscriptions.list({ status: 'all' })).data).toMatchObject([{ status: 'canceled' }]);
    await expect(stripe.subscriptions.cancel('sub_1')).rejects.toMatchObject({ code: 'resource_missing' });
  });

  it('carries a key out once, refuses other parameters, and has forgotten it after a day', async () => {
    chargeOf(1000);
    const { id } = await refund('key');
    expect((await refund('key')).id).toBe(id);
    await expect(refund('key', 200)).rejects.toMatchObject({ type: 'StripeIdempotencyError' });
    expect(fake.effects).toEqual(['POST /v1/refunds']);
    await fake.clock.advance(24 * hourMs);
    expect((await refund('key')).id).not.toBe(id);
    expect(await stripe.charges.retrieve('ch_1')).toMatchObject({ amount_refunded: 200 });
    expect((await stripe.refunds.list({ charge: 'ch_1' })).data).toMatchObject([{ metadata: { why: 'test' } }, {}]);
  });

  it('repeats a 500 to its key, whether the effect happened or not', async () => {
    chargeOf(1000);
    fake.faults.next({ on: 'POST /v1/refunds', answer: 500 });
    fake.faults.next({ on: 'POST /v1/refunds', answer: 500, effect: true });
    for (const key of ['before', 'before', 'after', 'after']) {
      await expect(refund(key)).rejects.toMatchObject({ statusCode: 500 });
    }
    expect(fake.calls.map(({ replayed }) => replayed)).toEqual([false, true, false, true]);
    expect(fake.effects).toHaveLength(1);
  });

  it('answers 409 to a key in use', async () => {
    chargeOf(1000);
    const gate = Promise.withResolvers<void>();
    fake.faults.next({ on: 'POST /v1/refunds', until: gate.promise });
    const first = refund('key');
    await waitFor('the refund to be made', () => fake.effects.length === 1);
    await expect(refund('key')).rejects.toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
    gate.resolve();
    expect((await refund('key')).id).toBe((await first).id);
    expect(fake.effects).toHaveLength(1);
  });

  it('cuts the connection before or after the effect', async () => {
    chargeOf(1000);
    fake.faults.next({ on: 'POST /v1/refunds', answer: 'drop', times: 2 });
    await expect(refund('before')).rejects.toMatchObject({ type: 'StripeConnectionError' });
    expect(fake.effects).toHaveLength(0);
    fake.faults.next({ on: 'POST /v1/refunds', answer: 'drop', effect: true, times: 2 });
    await expect(refund('after')).rejects.toMatchObject({ type: 'StripeConnectionError' });
    expect(await refund('after')).toMatchObject({ amount: 100 });
    expect(fake.effects).toHaveLength(1);
  });

  it('fails as scripted, limits the rate, and keeps no key of what never began', async () => {
    chargeOf(100);
    fake.faults.next({ on: /refunds/, answer: 429, headers: { 'retry-after': '7' }, code: 'lock_timeout' });
    await expect(refund('key')).rejects.toMatchObject({ code: 'lock_timeout', headers: { 'retry-after': '7' } });
    fake.faults.next({ on: /refunds/, answer: 402, code: 'insufficient_funds' });
    await expect(refund('other')).rejects.toMatchObject({ type: 'StripeCardError' });
    fake.limitRate(2);
    await fake.clock.advance(1000);
    expect(await refund('key')).toMatchObject({ amount: 100 });
    await expect(refund('third')).rejects.toMatchObject({ code: 'charge_already_refunded' });
    await expect(refund('third')).rejects.toMatchObject({ statusCode: 429 });
  });

  it('finds by metadata a minute late', async () => {
    fake.account().put('customers', { id: 'cus_1', metadata: { key: 'k1' } });
    const query = "metadata['key']:'k1'";
    expect((await stripe.customers.search({ query })).data).toEqual([]);
    await fake.clock.advance(61_000);
    expect((await stripe.customers.search({ query })).data).toMatchObject([{ id: 'cus_1' }]);
  });

  it('sends signed webhooks, retries by its clock, holds, reorders, repeats and makes twins', async () => {
    const receiver = await startReceiver();
    fake.endpoint({ url: receiver.url, secret });
    fake.endpoint({ url: receiver.url, secret: 'whsec_connect', connect: true });
    expect((await stripe.webhookEndpoints.list()).data).toMatchObject([{ url: receiver.url }, {}]);
    const account = fake.account();
    receiver.answer = 503;
    const first = account.emit('invoice.paid', { id: 'in_1' });
    await fake.sender.idle();
    expect((await stripe.events.list({ delivery_success: false })).data).toHaveLength(1);
    receiver.answer = 200;
    await fake.clock.advance(hourMs);
    expect((await stripe.events.list({ delivery_success: false })).data).toEqual([]);
    expect(fake.sender.attempts.map(({ status }) => status)).toEqual([503, 200]);

    fake.sender.hold(true);
    account.twin(first);
    const last = account.emit('invoice.voided', { id: 'in_1' });
    fake.sender.hold(false, (events) => events.toReversed());
    await fake.sender.idle();
    fake.sender.resend(last);
    fake.account('acct_1').emit('invoice.paid', { id: 'in_2' });
    await fake.sender.idle();
    fake.sender.drop(true);
    account.emit('invoice.paid', { id: 'in_3' });
    fake.sender.drop(false);
    await fake.clock.advance(hourMs);

    const events = receiver.bodies.map(({ body, signature }) => {
      const own = body.includes('acct_1') ? 'whsec_connect' : secret;
      return stripe.webhooks.constructEvent(body, signature, own);
    });
    expect(events).toHaveLength(6);
    expect(events.filter(({ type }) => type === 'invoice.voided')).toHaveLength(2);
    expect(events.find(({ account: of }) => of)).toMatchObject({ account: 'acct_1', data: { object: { id: 'in_2' } } });
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
    expect((await stripe.events.list({ delivery_success: false })).data).toHaveLength(1);
    await receiver.close();
  });

  it('runs as a process of its own', async () => {
    const started = startProcess({ script: 'test/support/stripe-fake/main.ts' });
    const { api, control } = JSON.parse(await started.waitForLine('"api"')) as { api: string; control: AddressInfo };
    const order = { put: { resource: 'customers', object: { id: 'cus_9' } } };
    await fetch(`http://127.0.0.1:${control.port}`, { method: 'POST', body: JSON.stringify(order) });
    const there = new Stripe('sk_test_fake', { ...fake.sdk, port: new URL(api).port });
    expect(await there.customers.retrieve('cus_9')).toMatchObject({ object: 'customer' });
    expect(await started.stop()).toMatchObject({ code: 0 });
  });
});

async function startReceiver() {
  const bodies: { readonly body: string; readonly signature: string }[] = [];
  const receiver = { answer: 200, url: '', bodies, close: async () => {} };
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    bodies.push({ body: await text(request), signature: String(request.headers['stripe-signature']) });
    response.writeHead(receiver.answer).end();
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  receiver.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return receiver;
}
