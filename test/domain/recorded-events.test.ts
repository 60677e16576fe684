import { globSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { handlers } from '@mailroom/domain';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { fixturesFolder } from '../support/fixtures-folder.ts';
import { applyEvents, type GivenEvent } from './apply-event.ts';
import { emptyBooks, readRowVersions } from './books.ts';
import { readEvents } from './provider-events.ts';

// Bodies that providers really sent, or composed of their API descriptions; they are not part of this repository.
const folder = fixturesFolder();
if (folder === null) process.stderr.write('skipped: recorded events in ../shared/fixtures, which is not there\n');
const recorded = folder === null ? [] : recordedIn(folder);

describe.skipIf(folder === null)('recorded events', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(() => emptyBooks(db.database));
  afterAll(() => db.drop());

  test('there are some of each provider', () => {
    for (const [provider, atLeast] of Object.entries({ stripe: 12, shopify: 10, marqeta: 4 })) {
      expect(recorded.filter(({ file }) => file.startsWith(provider)).length).toBeGreaterThanOrEqual(atLeast);
    }
  });

  test.each(recorded.map(({ file, events }) => [file, events] as const))(
    '%s is done, and again changes nothing',
    async (_file, events) => {
      await applyEvents(db.database, accountsOf(events));
      const done = events.map(() => ({ outcome: 'done' }));
      expect(await applyEvents(db.database, events)).toEqual(done);
      const versions = await readRowVersions(db.database);
      expect(versions.length).toBeGreaterThan(0);
      expect(await applyEvents(db.database, events)).toEqual(done);
      expect(await readRowVersions(db.database)).toEqual(versions);
    },
  );
});

function recordedIn(fixtures: string) {
  const handled = new Set(handlers.map(({ provider, eventType }) => `${provider} ${eventType}`));
  return globSync('{stripe/{snapshot-2020-03-02,composed-2026},shopify,marqeta}/*.json', { cwd: fixtures })
    .filter((file) => !file.endsWith('ping.json'))
    .map((file) => {
      const [provider = ''] = file.split('/');
      const events = readEvents(provider, readFileSync(resolve(fixtures, file)), headersOf(file));
      return {
        file,
        events: events.filter(({ event }) => handled.has(`${event.provider} ${event.eventType}`)),
      };
    })
    .filter(({ events }) => events.length > 0);
}

/** Shopify tells topic and shop in headers; the recordings have the topic in their file's name. */
function headersOf(file: string): Readonly<Record<string, string>> {
  if (!file.startsWith('shopify/')) return {};
  return {
    'x-shopify-topic': basename(file, '.json').replace('-', '/'),
    'x-shopify-shop-domain': 'example.myshopify.com',
    'x-shopify-webhook-id': file,
  };
}

/** The transitions with which the accounts of transactions appear. */
function accountsOf(events: readonly GivenEvent[]): readonly GivenEvent[] {
  if (!events.some(({ event }) => event.eventType.startsWith('transactions.'))) return [];
  const item = { token: 'ut_1', status: 'ACTIVE', user_token: 'user_01', created_time: '2026-01-10T09:00:00Z' };
  return readEvents('marqeta', Buffer.from(JSON.stringify({ usertransitions: [item] })));
}
