import type { Tx } from '@mailroom/db';
import { type SampleDelivery, sampleDelivery } from '@mailroom/handler-kit';
import type { EventHandler, HandlerContext } from '@mailroom/inbox';
import { asObject, done, type HandlerOutcome, type JsonValue, snooze } from '@mailroom/kernel';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import {
  cutAfterEachStatement,
  everyOrder,
  everythingAgain,
  firstRun,
  type Proof,
  randomOrders,
  randomOrdersTwice,
  sideBySide,
} from '../../packages/handler-kit/src/scenarios.ts';
import { openStage, type Stage } from '../../packages/handler-kit/src/stage.ts';

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

describe('the kit catches', () => {
  test('a snapshot that is written without a guard, in some order', async () => {
    const proof = await begin(
      handlersOf(async ({ tx, event, payload }) => {
        const { id, status } = invoiceOf(payload);
        await sql`
        insert into invoices (invoice_id, status, snapshot_at, snapshot_event_id)
        values (${id}, ${status}, ${event.providerTime}, ${event.eventId})
        on conflict (invoice_id) do update set
          (status, snapshot_event_id) = (excluded.status, excluded.snapshot_event_id)`.execute(tx);
        return done;
      }),
    );
    const problem = await problemOf(everyOrder(proof, 'alone'));
    expect(problem).toContain('the end differs from the one of the order given');
    expect(problem).toMatch(
      /delivered: invoice\.\w+, invoice\.\w+, invoice\.\w+\n {2}invoices\n {4}- .*"status": "paid"/,
    );
    expect(problem).toMatch(/\+ .*"status": "(draft|open)"/);
    expect(problem).toContain('differs in: status, snapshot_event_id');
    expect(await problemOf(randomOrders(proof, 'alone', { seed: 7, count: 20 }))).toContain('seed 7: ');
    expect(await problemOf(randomOrders(proof, 'alone', { seed: 7, count: 20 }))).toBe(
      await problemOf(randomOrders(proof, 'alone', { seed: 7, count: 20 })),
    );
  });

  test('a delta that is added without a key, when a second endpoint tells the same', async () => {
    const proof = await begin(
      handlersOf(async ({ tx, payload }) => {
        await sql`
        insert into invoices (invoice_id, status, snapshot_at, snapshot_event_id, failed_payments)
        values (${invoiceOf(payload).id}, 'open', 'epoch', 'any', 1)
        on conflict (invoice_id) do update set failed_payments = invoices.failed_payments + 1`.execute(tx);
        return done;
      }),
    );
    expect(await everyOrder(proof, 'alone')).toBe(6);
    const problem = await problemOf(everythingAgain(proof, 'alone'));
    expect(problem).toContain('(other endpoint)');
    expect(problem).toContain('differs in: failed_payments');
    expect(await problemOf(randomOrdersTwice(proof, 'alone', { seed: 7, count: 3 }))).toContain('failed_payments');
  });

  test('a message that is appended without asking whether it was before', async () => {
    const proof = await begin(
      handlersOf(async (context) => {
        await keepInvoice(context);
        await message(context.tx, invoiceOf(context.payload).id);
        return done;
      }),
    );
    expect(await everyOrder(proof, 'alone')).toBe(6);
    expect(await problemOf(everythingAgain(proof, 'alone'))).toMatch(/ {2}outbox\n {4}\+ .*"topic": "told"/);
  });

  test('a look before an insert that no key protects, when two look at once', async () => {
    const proof = await begin(
      handlersOf(async (context) => {
        const { id } = invoiceOf(context.payload);
        const { rows } = await sql`select from outbox where aggregate = ${id}`.execute(context.tx);
        if (rows.length === 0) await message(context.tx, id);
        return done;
      }),
    );
    expect(await everyOrder(proof, 'alone')).toBe(6);
    expect(await everythingAgain(proof, 'alone')).toBeGreaterThan(0);
    const problem = await problemOf(sideBySide(proof, 'alone'));
    expect(problem).toContain('workers at once, each of which wrote before any of them committed');
    expect(problem).toMatch(/ {2}outbox\n {4}\+ /);
  });

  test('a read and a later write of one row without a lock', async () => {
    const proof = await begin(
      handlersOf(async ({ tx, event, payload }) => {
        const { id } = invoiceOf(payload);
        const { rows } = await sql<{
          seen: string;
        }>`select customer as seen from invoices where invoice_id = ${id}`.execute(tx);
        const seen = new Set(rows[0]?.seen.split(' ').filter(Boolean)).add(event.eventId);
        await sql`update invoices set customer = ${[...seen].toSorted().join(' ')} where invoice_id = ${id}`.execute(
          tx,
        );
        return done;
      }),
      async (tx) => {
        await sql`
        insert into invoices (invoice_id, status, snapshot_at, snapshot_event_id, customer)
        values (${idOfSample()}, 'open', 'epoch', 'any', '')`.execute(tx);
      },
    );
    expect(await everyOrder(proof, 'alone')).toBe(6);
    expect(await everythingAgain(proof, 'alone')).toBeGreaterThan(0);
    expect(await problemOf(sideBySide(proof, 'alone'))).toContain('differs in: customer');
  });

  test('an effect outside of the transaction, though repeating it would do no harm', async () => {
    const outside = Promise.withResolvers<Tx>();
    const proof = await begin(
      handlersOf(async (context) => {
        const elsewhere = await outside.promise;
        await sql`
          insert into anomalies (kind, object_key, detail) values ('seen', ${context.event.eventId}, '{}')
          on conflict do nothing`.execute(elsewhere);
        await keepInvoice(context);
        return done;
      }),
      (tx) => {
        outside.resolve(tx);
        return Promise.resolve();
      },
    );
    expect(await everyOrder(proof, 'alone')).toBe(6);
    expect(await everythingAgain(proof, 'alone')).toBeGreaterThan(0);
    const problem = await problemOf(cutAfterEachStatement(proof, 'alone'));
    expect(problem).toContain('an attempt failed and left something behind');
    expect(problem).toMatch(/the connection was cut when statement \d+ had run/);
    expect(problem).toMatch(/ {2}anomalies\n {4}\+ .*"kind": "seen"/);
  });

  test('a set handler that does something else than the handler of one', async () => {
    const one: EventHandler['handle'] = async (context) => {
      await keepInvoice(context);
      await tellOnce(context.tx, context.event.eventId);
      return done;
    };
    const handlers = handlersOf(one).map((handler) => ({
      ...handler,
      // Forgets the message of all but the last.
      handleMany: async (contexts: readonly HandlerContext[]): Promise<readonly HandlerOutcome[]> => {
        for (const context of contexts) await keepInvoice(context);
        const last = contexts.at(-1);
        if (last && contexts.length > 1) await tellOnce(last.tx, `${last.event.eventId} of many`);
        else if (last) await tellOnce(last.tx, last.event.eventId);
        return contexts.map(() => done);
      },
    }));
    const proof = await begin(handlers);
    expect(await everythingAgain(proof, 'alone')).toBeGreaterThan(0);
    const problem = await problemOf(everythingAgain(proof, 'in batches'));
    expect(problem).toContain('then handled in one batch');
    expect(problem).toContain('of many');
  });
});

test('the kit lets a handler wait for what has not come yet', async () => {
  const proof = await begin(
    handlersOf(async (context) => {
      const { id, status } = invoiceOf(context.payload);
      if (status === 'draft') {
        await keepInvoice(context);
        return done;
      }
      const { rows } = await sql`select from invoices where invoice_id = ${id}`.execute(context.tx);
      if (rows.length > 0) return done;
      if (status === 'open') return snooze(60_000, 'no such invoice yet');
      throw new Error('no such invoice yet');
    }),
  );
  expect(await everyOrder(proof, 'alone')).toBe(6);
});

describe('the kit refuses to prove nothing:', () => {
  test('handlers that write nothing to the tables named', async () => {
    await expect(begin(handlersOf(() => Promise.resolve(done)))).rejects.toThrow('name the tables that they write');
  });

  test('a delivery that none of the handlers is for', async () => {
    await expect(begin([])).rejects.toThrow('none of the handlers is for stripe invoice.created');
  });

  test('a table or a column that is not there', async () => {
    const options = { handlers: [], deliveries: story, ignore: [] };
    await expect(openStage({ ...options, tables: ['invoice'] })).rejects.toThrow('there is no table or view invoice');
    for (const ignore of ['update_at', 'anomalies.detail', 'outbox.paylod.id']) {
      await expect(openStage({ ...options, tables: ['invoices'], ignore: [ignore] })).rejects.toThrow(ignore);
    }
  });

  test('a sample that is not there', () => {
    expect(() => sampleDelivery('stripe', 'invoice.payed')).toThrow('it has: invoice.created, ');
  });
});

const story: readonly SampleDelivery[] = ['invoice.created', 'invoice.finalized', 'invoice.paid'].map((name) =>
  sampleDelivery('stripe', name),
);

function handlersOf(handle: EventHandler['handle']): readonly EventHandler[] {
  return story.map(({ name }) => ({ provider: 'stripe', eventType: name, handle }));
}

async function begin(
  handlers: readonly EventHandler[],
  prepare: (tx: Tx) => Promise<void> = async () => {},
): Promise<Proof> {
  stage = await openStage({
    handlers,
    deliveries: story,
    tables: ['invoices', 'anomalies'],
    ignore: [],
    prepare: async ({ kysely }) => await prepare(kysely as unknown as Tx),
  });
  return { stage, deliveries: story, expected: await firstRun(stage, story) };
}

async function problemOf(proving: Promise<number>): Promise<string> {
  try {
    await proving;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'nothing was found';
}

interface ShownInvoice {
  readonly id: string;
  readonly status: string;
}

function invoiceOf(payload: JsonValue): ShownInvoice {
  const object = asObject(asObject(asObject(payload)?.['data'])?.['object']);
  const { id, status } = (object ?? {}) as Readonly<Record<string, string>>;
  return { id: id ?? '', status: status ?? '' };
}

function idOfSample(): string {
  return invoiceOf(JSON.parse(story[0]?.body.toString() ?? '') as JsonValue).id;
}

/** As it should be: the greatest status stays, whatever comes when. */
async function keepInvoice({ tx, payload }: Pick<HandlerContext, 'tx' | 'event' | 'payload'>): Promise<void> {
  await sql`
    insert into invoices (invoice_id, status, snapshot_at, snapshot_event_id)
    values (${invoiceOf(payload).id}, 'open', 'epoch', 'any')
    on conflict do nothing`.execute(tx);
}

async function message(tx: Tx, aggregate: string): Promise<void> {
  await sql`insert into outbox (topic, aggregate, payload) values ('told', ${aggregate}, '{}')`.execute(tx);
}

async function tellOnce(tx: Tx, fact: string): Promise<void> {
  const { rows } = await sql`
    insert into told_facts (aggregate, topic, fact) values ('any', 'told', ${fact})
    on conflict do nothing returning fact`.execute(tx);
  if (rows.length > 0) await message(tx, fact);
}
