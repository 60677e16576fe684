import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { emptyInbox } from '../support/inbox-fixtures.ts';
import { waitFor } from '../support/wait-for.ts';
import { type IngestProcess, startIngest } from './ingest-process.ts';
import { countRows, storedRows } from './ledger.ts';
import { openRaw, talk } from './raw-http.ts';
import { billingSecret, onTheWire, retiredSecret, type SignedRequest, signed, stripeEvent } from './signed-request.ts';

let test: TestDatabase;
let ingest: IngestProcess;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  await emptyInbox(test.database);
  await test.database.kysely.deleteFrom('inbox_secret_uses').execute();
  ingest = await startIngest({ databaseUrl: test.url });
});
afterEach(() => ingest.stop());

const freshSecret = 'whsec_test0fresh0secret0of0the0ingest0tests';
const billing = { provider: 'stripe', endpoint: 'billing' };

it('after SIGHUP a rotated secret counts and the old one does not, and under load no request is dropped', async () => {
  let stopping = false;
  const clients = Array.from({ length: 10 }, () => keepSending(() => stopping));
  await waitFor('traffic to flow', async () => (await countRows(test.database)) > 50);
  for (const round of [1, 2, 3, 4, 5]) {
    writeEndpoints([{ ...billing, secrets: folderOf({ [`fresh-${round}`]: freshSecret, current: billingSecret }) }]);
    await reload();
  }
  stopping = true;
  const statuses = (await Promise.all(clients)).flat();
  expect(statuses.length).toBeGreaterThan(50);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(await countRows(test.database)).toBe(statuses.length);

  const event = rotated(freshSecret);
  expect(await post(event)).toBe(200);
  expect(await storedRows(test.database, event.eventId)).toMatchObject([{ secret_label: 'fresh-5' }]);
  expect(await post(rotated(retiredSecret))).toBe(401);
});

it('an endpoint that is new in the file is received, told apart in the metrics, and one that is gone is not found', async () => {
  writeEndpoints([{ provider: 'stripe', endpoint: 'second', secrets: ['env:BILLING_TEST_SECRET'] }]);
  await reload();
  expect(await post(stripeEvent(), '/webhooks/stripe/second')).toBe(200);
  expect(await post(stripeEvent())).toBe(404);
  expect(await ingest.metrics()).toMatch(/mailroom_events_received_total\{provider="stripe",endpoint="second"\} 1\n/);
});

it.each([
  ['not JSON', '{"endpoints": ['],
  ['a secret that is not there', { endpoints: [{ ...billing, secrets: ['env:NOT_SET_ANYWHERE'] }] }],
  ['no secret at all', { endpoints: [{ ...billing, secrets: [] }] }],
])('a file with %s changes nothing and is told whole in the log', async (_what, content) => {
  writeFileSync(ingest.endpointsFile, typeof content === 'string' ? content : JSON.stringify(content));
  ingest.process.kill('SIGHUP');
  const line = await ingest.process.waitForLine('"endpoints_not_reloaded"');
  expect(line).toContain('mailroom.endpoints.json');
  expect(await post(stripeEvent())).toBe(200);
  expect(await post(rotated(retiredSecret))).toBe(200);
  writeEndpoints([{ ...billing, secrets: ['env:BILLING_TEST_SECRET'] }]);
  await reload();
  expect(await post(rotated(retiredSecret))).toBe(401);
});

it('a folder that Kubernetes swaps is read anew, and a secret that was read again is struck out of the log too', async () => {
  const home = dirname(ingest.endpointsFile);
  const mount = (name: string, secret: string) => {
    const version = join(home, 'mounted', `..${name}`);
    mkdirSync(version, { recursive: true });
    writeFileSync(join(version, 'live'), secret);
    symlinkSync(`..${name}`, join(home, 'mounted', '..data_tmp'));
    renameSync(join(home, 'mounted', '..data_tmp'), join(home, 'mounted', '..data'));
  };
  mount('1', billingSecret);
  symlinkSync(join('..data', 'live'), join(home, 'mounted', 'live'));
  writeEndpoints([{ ...billing, secrets: ['dir:./mounted'] }]);
  await reload();
  expect(await post(stripeEvent())).toBe(200);
  mount('2', freshSecret);
  await reload();
  expect(await post(stripeEvent())).toBe(401);
  expect(await post(rotated(freshSecret))).toBe(200);
  // A name of an endpoint that holds a secret is refused, and quoted nowhere.
  writeFileSync(ingest.endpointsFile, JSON.stringify({ endpoints: [{ ...billing, endpoint: freshSecret }] }));
  ingest.process.kill('SIGHUP');
  await ingest.process.waitForLine('"endpoints_not_reloaded"');
  expect(ingest.process.lines.join('\n')).not.toContain(freshSecret);
});

it('a secret counts within its window only', async () => {
  const from = 'env:BILLING_TEST_SECRET';
  const hour = 3_600_000;
  const at = (offset: number) => new Date(Date.now() + offset).toISOString();
  for (const [window, expected] of [
    [{ notBefore: at(hour) }, 401],
    [{ notAfter: at(-hour) }, 401],
    [{ notBefore: at(-hour), notAfter: at(hour) }, 200],
  ] as const) {
    writeEndpoints([{ ...billing, secrets: [{ from, ...window }, 'env:RETIRED_TEST_SECRET'] }]);
    await reload();
    expect(await post(stripeEvent())).toBe(expected);
  }
  // Test and live secrets of one URL, and redeliveries, are told apart by label, day by day.
  await post(rotated(retiredSecret));
  const uses = await waitFor('the uses to be written', async () => {
    const rows = await test.database.kysely.selectFrom('inbox_secret_uses').selectAll().execute();
    return rows.length === 2 ? rows : null;
  });
  expect(Object.fromEntries(uses.map(({ secret_label, matches }) => [secret_label, matches]))).toEqual({
    BILLING_TEST_SECRET: '1',
    RETIRED_TEST_SECRET: '1',
  });
});

function writeEndpoints(endpoints: readonly object[]): void {
  writeFileSync(ingest.endpointsFile, JSON.stringify({ endpoints }));
}

function folderOf(files: Readonly<Record<string, string>>): readonly string[] {
  const folder = join(dirname(ingest.endpointsFile), `keys-${Object.keys(files).join('-')}`);
  mkdirSync(folder);
  for (const [name, secret] of Object.entries(files)) writeFileSync(join(folder, name), `${secret}\n`);
  return [`dir:${folder}`];
}

/** Resolves when the reload that this asks for is done. */
async function reload(): Promise<void> {
  const done = () => ingest.process.lines.filter((line) => line.includes('"endpoints_reloaded"')).length;
  const before = done();
  ingest.process.kill('SIGHUP');
  await waitFor('the reload', () => done() > before);
}

function rotated(secret: string): SignedRequest {
  const { body, eventId } = stripeEvent();
  return { ...signed(body, secret), eventId };
}

async function post(request: SignedRequest, path = '/webhooks/stripe/billing'): Promise<number | undefined> {
  return (await talk(ingest.port, onTheWire(request, { path }))).answers[0]?.status;
}

/** One kept connection that sends one delivery after another. */
async function keepSending(isOver: () => boolean): Promise<number[]> {
  const statuses: number[] = [];
  const connection = await openRaw(ingest.port);
  while (!isOver()) {
    connection.write(onTheWire(stripeEvent(), { lines: [] }));
    statuses.push((await connection.answer(statuses.length)).status);
  }
  connection.socket.destroy();
  return statuses;
}
