import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runJson, runMailroom } from './run-mailroom.ts';
import { ago, emptyTables, inState, leasedBy, seedEvent } from './seed-event.ts';

interface Page {
  readonly events: readonly { readonly key: string; readonly eventId: string; readonly state: string }[];
  readonly next: string | null;
  readonly complete: boolean;
}

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db.drop());
beforeEach(() => emptyTables(db.database));

const found = async (...args: string[]) => {
  const page = await runJson<Page>(['list', ...args], db);
  return page.events.map(({ eventId }) => eventId);
};

describe('filters', () => {
  beforeEach(async () => {
    await seedEvent(db.database, 'a', { row: { ...inState.exhausted, last_error: 'Order 100%_done is gone' } });
    await seedEvent(db.database, 'b', { row: { ...inState.exhausted, last_error: 'order 1000 done is gone' } });
    await seedEvent(db.database, 'c', { row: { ...inState.rejected, event_type: 'invoice.voided' } });
    await seedEvent(db.database, 'd', { row: { received_at: ago(7_200) } });
    await seedEvent(db.database, 'e', { row: { ...inState.processed, endpoint: 'connect', received_at: ago(7_200) } });
    await seedEvent(db.database, 'f', { row: { ...inState.processed, provider: 'adyen', endpoint: 'main' } });
  });

  test.each([
    [
      ['--state', 'exhausted'],
      ['a', 'b'],
    ],
    [
      ['--state', 'exhausted', 'rejected'],
      ['a', 'b', 'c'],
    ],
    [
      ['--state', 'pending', '--state', 'processed'],
      ['f', 'd', 'e'],
    ],
    [
      ['--endpoint', 'stripe/billing'],
      ['a', 'b', 'c', 'd'],
    ],
    [
      ['--endpoint', 'stripe'],
      ['a', 'b', 'c', 'd', 'e'],
    ],
    [['--type', 'invoice.voided'], ['c']],
    [
      ['--older-than', '1h'],
      ['d', 'e'],
    ],
    [['--newer-than', '90m', '--state', 'processed'], ['f']],
    [['--older-than', '119m', '--newer-than', '1d', '--endpoint', 'stripe/connect'], ['e']],
    // % and _ are letters like any other.
    [['--error', '100%_DONE'], ['a']],
    [
      ['--error', 'is gone'],
      ['a', 'b'],
    ],
    [['--error', 'NOT_OURS'], ['c']],
    [[], ['f', 'a', 'b', 'c', 'd', 'e']],
  ])('%j finds %j in the order of the keys', async (args, expected) => {
    expect(await found(...args)).toEqual(expected);
  });
});

test('the pages, each begun by the command that the one before printed, hold every event once and in order', async () => {
  for (let at = 0; at < 23; at += 1) {
    await seedEvent(db.database, `evt ${String(at).padStart(2, '0')} 'q'`, { row: inState.exhausted, body: null });
  }
  const keys: string[] = [];
  let args: string[] | null = [
    'list',
    '--state',
    'exhausted',
    '--limit',
    '10',
    '--keys',
    '--error',
    'attempts used up',
  ];
  let pages = 0;
  while (args !== null) {
    const answer = await runMailroom(args, db);
    expect(answer.code).toBe(0);
    keys.push(...answer.stdout.trimEnd().split('\n'));
    const command = /^more: npm run mailroom -- (.*)$/m.exec(answer.stderr)?.[1];
    args = command === undefined ? null : shellSplit(command);
    pages += 1;
  }
  expect(pages).toBe(3);
  expect(keys).toHaveLength(23);
  expect(keys).toEqual([...new Set(keys)].toSorted());
});

test('a full last page is not followed by an empty one', async () => {
  for (const id of ['a', 'b']) await seedEvent(db.database, id, { row: inState.processed, body: null });
  expect(await runJson(['list', '--limit', '2'], db)).toMatchObject({ next: null, complete: true });
  expect(await runJson(['list', '--limit', '1'], db)).toMatchObject({ next: 'stripe/billing/a' });
  expect(await found('--after', 'stripe/billing/a')).toEqual(['b']);
});

test('a row says what it waits for, in one line, whatever its texts hold', async () => {
  await seedEvent(db.database, 'a', { row: { ...leasedBy('w7', 60), last_error: 'first\nsecond\u001b[31m' } });
  const { stdout } = await runMailroom(['list'], db);
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(stdout).toContain('leased by w7; first\\nsecond\\u001b[31m');
  expect(stdout).not.toContain('\u001b');
});

test('an empty result says so aside and is no error', async () => {
  await seedEvent(db.database, 'a');
  expect(await runMailroom(['list', '--state', 'exhausted'], db)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'no rows match\n',
  });
  expect(await runJson(['list', '--type', 'nothing'], db)).toEqual({ events: [], next: null, complete: true });
});

test('an endpoint that has no events is refused, with those that have', async () => {
  await seedEvent(db.database, 'a');
  await seedEvent(db.database, 'b', { row: { endpoint: 'connect' } });
  const answer = await runMailroom(['list', '--endpoint', 'stripe/biling'], db);
  expect(answer).toMatchObject({ code: 2, stdout: '' });
  expect(answer.stderr).toContain('stripe/billing, stripe/connect');
  expect((await runMailroom(['list', '--endpoint', 'adyen'], db)).code).toBe(2);
});

test.each([
  [['--older-than', '15'], '15m'],
  [['--newer-than', '2 hours'], '2h'],
  [['--state', 'done'], 'exhausted'],
  [['--endpoint', 'stripe/'], 'provider/endpoint'],
  [['--limit', '0'], '1 to 1000'],
  [['--after', 'evt_1'], 'provider/endpoint/event_id'],
  [['--sate', 'pending'], '--state'],
  [['extra'], 'too many arguments'],
])('%j is refused with what would be right', async (args, hint) => {
  const answer = await runMailroom(['list', ...args], db);
  expect(answer).toMatchObject({ code: 2, stdout: '' });
  expect(answer.stderr).toContain(hint);
});

test('the JSON of a row has every documented field', async () => {
  const key = await seedEvent(db.database, 'a', { row: { object_key: 'invoice/in_1' } });
  const page = await runJson<Page>(['list'], db);
  expect(page.events).toEqual([
    {
      key,
      provider: 'stripe',
      endpoint: 'billing',
      eventId: 'a',
      eventType: 'invoice.paid',
      objectKey: 'invoice/in_1',
      state: 'pending',
      stateReason: null,
      heldBy: null,
      attempts: 0,
      maxAttempts: 25,
      totalAttempts: 0,
      receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      availableAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      leasedBy: null,
      leasedUntil: null,
      processedAt: null,
      lastError: null,
    },
  ]);
});

/** The words that a shell makes of a printed command. */
function shellSplit(command: string): string[] {
  const words = execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' });
  return words.split('\0').slice(0, -1);
}
