import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { handlers } from '@mailroom/domain';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { fixturesFolder } from '../support/fixtures-folder.ts';
import { applyEvent, applyEvents, type GivenEvent } from './apply-event.ts';
import { emptyBooks, readBooks, sumOf } from './books.ts';
import { permutations } from './permutations.ts';
import { readEvents } from './provider-events.ts';

// Bodies that Stripe really sent, and objects of its API description; they are not part of this repository.
const folder = fixturesFolder();
if (folder === null)
  process.stderr.write('skipped: recorded invoice events in ../shared/fixtures, which is not there\n');
const events = folder === null ? [] : recordedEvents(resolve(folder, 'stripe'));

describe.skipIf(folder === null)('recorded invoice events', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(() => emptyBooks(db.database));
  afterAll(() => db.drop());

  test('there are some of both shapes', () => {
    expect(events.length).toBeGreaterThanOrEqual(6);
    expect(new Set(events.map(({ file }) => file.split('/')[0])).size).toBe(2);
  });

  test.each(events.map(({ file, event }) => [file, event] as const))(
    '%s is done whichever comes first',
    async (_, event) => {
      expect(await applyEvent(db.database, event)).toEqual({ outcome: 'done' });
      expect((await readBooks(db.database)).invoices).toHaveLength(1);
    },
  );

  test('the subscription is found in both shapes', async () => {
    const found = new Map<string, string | null>();
    for (const { file, event } of events) {
      await emptyBooks(db.database);
      await applyEvent(db.database, event);
      found.set(file, (await readBooks(db.database)).invoices[0]?.subscription ?? null);
    }
    expect(found.get('snapshot-2020-03-02/invoice.finalized.json')).toBe('sub_K4J0aB2bmSyb6b');
    expect(found.get('composed-2026/invoice.created.json')).toBe('subscription');
  });

  test('those about one invoice end the same in every order, with a sum of 0', async () => {
    const stories = Map.groupBy(events, ({ event }) => event.event.objectKey);
    for (const story of stories.values()) {
      const ends = new Set<string>();
      for (const order of permutations(story)) ends.add(await endOf(order.map(({ event }) => event)));
      expect([...ends]).toHaveLength(1);
    }
    expect(stories.size).toBeGreaterThanOrEqual(3);
  });

  async function endOf(order: readonly GivenEvent[]): Promise<string> {
    await emptyBooks(db.database);
    await applyEvents(db.database, order);
    const { invoices, ledger, anomalies } = await readBooks(db.database);
    expect(sumOf(ledger)).toBe(0n);
    return JSON.stringify({ invoices, anomalies });
  }
});

function recordedEvents(stripe: string) {
  const handled = new Set(handlers.map(({ eventType }) => eventType));
  return globSync('{snapshot-2020-03-02,composed-2026}/invoice.*.json', { cwd: stripe })
    .flatMap((file) => readEvents('stripe', readFileSync(resolve(stripe, file))).map((event) => ({ file, event })))
    .filter(({ event }) => handled.has(event.event.eventType));
}
