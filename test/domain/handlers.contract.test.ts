import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { inTransaction } from '@mailroom/db';
import { type Handler, handlers, parkedHandlers } from '@mailroom/domain';
import type { JsonValue } from '@mailroom/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { applyEvent, applyEvents, callHandler } from './apply-event.ts';
import { emptyBooks, readEnd, readRowVersions } from './books.ts';
import { permutations } from './permutations.ts';
import { storyOf } from './story.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => emptyBooks(db.database));
afterAll(() => db.drop());

const nameOf = (handler: Handler) => `${handler.provider}/${handler.eventType}`;

describe('the registry', () => {
  test('holds a plausible number of handlers, one a provider and event type', () => {
    expect(handlers.length).toBeGreaterThanOrEqual(5);
    const names = [...handlers, ...parkedHandlers].map(nameOf);
    expect(new Set(names).size).toBe(names.length);
  });

  test('and the folders hold the same handlers: each event file is registered, each handler has its file', async () => {
    const source = resolve(import.meta.dirname, '../../packages/domain/src');
    const files = await readdir(source, { recursive: true });
    // `stripe/invoice.paid.ts` is a handler's, as is `shopify/orders/create.ts`; `stripe/read-invoice.ts` is shared by several.
    const eventFiles = files.filter((file) => /^[^/]+\/([^/]+\/.*|[^/]*[._][^/]*)\.ts$/.test(file));
    const registered = [...handlers, ...parkedHandlers].map(nameOf);
    expect(eventFiles.map((file) => file.replace(/\.ts$/, '')).toSorted()).toEqual(registered.toSorted());
  });
});

describe.each(handlers.map((handler) => [nameOf(handler), handler] as const))('%s', (_name, handler) => {
  const { before, samples } = storyOf(handler);
  let given: readonly string[];
  beforeEach(async () => {
    await applyEvents(db.database, before);
    given = await readRowVersions(db.database);
  });

  test('has a sample', () => expect(samples.length).toBeGreaterThanOrEqual(1));

  test('does a sample, and doing it again changes nothing, not even a row version', async () => {
    expect(await applyEvents(db.database, samples)).toEqual(samples.map(() => ({ outcome: 'done' })));
    const written = await readRowVersions(db.database);
    expect(written.length).toBeGreaterThan(given.length);
    expect(await applyEvents(db.database, samples)).toEqual(samples.map(() => ({ outcome: 'done' })));
    expect(await readRowVersions(db.database)).toEqual(written);
  });

  test('ends the same in every order of its samples, each of them twice', async () => {
    const ends = new Set<string>();
    for (const order of permutations(samples)) {
      await emptyBooks(db.database);
      await applyEvents(db.database, [...before, ...order, ...order]);
      ends.add(JSON.stringify(await readEnd(db.database)));
    }
    expect([...ends]).toHaveLength(1);
  });

  test('leaves nothing when its transaction rolls back', async () => {
    const onPurpose = new Error('rolled back on purpose');
    for (const sample of samples) {
      const attempt = inTransaction(db.database, async (tx) => {
        await callHandler(tx, sample);
        throw onPurpose;
      });
      await expect(attempt).rejects.toBe(onPurpose);
    }
    expect(await readRowVersions(db.database)).toEqual(given);
  });

  test.each<[string, JsonValue]>([
    ['an empty object', {}],
    ['an empty array', []],
    ['null', null],
    ['a text', ''],
    ['a number beyond 2^53', 2n ** 64n],
    ['an empty data object', { data: { object: {} } }],
  ])('rejects %s as payload instead of throwing, and writes nothing', async (_what, payload) => {
    for (const sample of samples) {
      const outcome = await applyEvent(db.database, { ...sample, payload });
      expect(outcome).toMatchObject({ outcome: 'reject', code: 'unexpected_payload' });
    }
    expect(await readRowVersions(db.database)).toEqual(given);
  });

  test('tolerates fields it does not know', async () => {
    const withMore = samples.map((sample) => ({ ...sample, payload: addFields(sample.payload) }));
    expect(await applyEvents(db.database, withMore)).toEqual(samples.map(() => ({ outcome: 'done' })));
  });
});

function addFields(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(addFields);
  const known = Object.entries(value as Readonly<Record<string, JsonValue>>);
  return { ...Object.fromEntries(known.map(([key, at]) => [key, addFields(at)])), from_a_later_api_version: [{}] };
}
