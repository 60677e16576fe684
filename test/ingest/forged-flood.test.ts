import { createHash, randomBytes } from 'node:crypto';
import { type RejectionRecord, recordRejection, trimRejections } from '@mailroom/inbox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';
import { type IngestProcess, startIngest } from './ingest-process.ts';
import { countRows } from './ledger.ts';
import { talk } from './raw-http.ts';
import { onTheWire, type SignedRequest, stripeEvent } from './signed-request.ts';

let test: TestDatabase;
let ingest: IngestProcess;
beforeAll(async () => {
  test = await createTestDatabase();
  ingest = await startIngest({ databaseUrl: test.url });
});
afterAll(async () => {
  await ingest.stop();
  await test.drop();
});

it('among 20,000 forged requests every real one is stored and answered 200, and the record of them stays small', async () => {
  const clients = 20;
  const forgedEach = 1000;
  const realEach = 25;
  const answers = await Promise.all(Array.from({ length: clients }, () => sendMixed(forgedEach, realEach)));
  const statuses = answers.flat();
  expect(statuses.filter(([isReal]) => isReal)).toHaveLength(clients * realEach);
  expect(statuses.filter(([isReal, status]) => isReal && status !== 200)).toEqual([]);
  expect(statuses.filter(([isReal, status]) => !isReal && status !== 401)).toEqual([]);
  expect(await countRows(test.database)).toBe(clients * realEach);

  // Those that were let in wait their turn while real traffic has it.
  await waitFor('every forged request to be counted by the clinic', async () => {
    const metrics = await ingest.metrics();
    expect(sum(metrics, 'mailroom_deliveries_rejected_total')).toBe(clients * forgedEach);
    return sum(metrics, 'mailroom_rejections_diagnosed_total') === clients * forgedEach;
  });
  const rejected = await countRejections();
  process.stdout.write(`${clients * forgedEach} forged requests left ${rejected} records\n`);
  // A burst of 20 and then one in five seconds.
  expect(rejected).toBeGreaterThan(15);
  expect(rejected).toBeLessThan(100);
  expect(ingest.process.lines.filter((line) => line.includes('"delivery_rejected"')).length).toBeLessThan(100);
});

it('trimming keeps the newest records within each bound', async () => {
  await test.database.kysely.deleteFrom('inbox_rejections').execute();
  for (let number = 0; number < 30; number += 1) {
    await recordRejection(test.database, { ...record, body: number % 2 === 0 ? randomBytes(70_000) : null });
  }
  const week = 7 * 86_400_000;
  await trimRejections(test.database, { maxRows: 20, maxBodies: 100, maxAgeMs: week });
  expect(await countRejections()).toBe(20);
  await trimRejections(test.database, { maxRows: 20, maxBodies: 3, maxAgeMs: week });
  const rows = await test.database.kysely.selectFrom('inbox_rejections').selectAll().orderBy('rejection_id').execute();
  expect(rows.filter(({ body }) => body !== null).map(({ body }) => body?.length)).toEqual([65_536, 65_536, 65_536]);
  expect(rows).toHaveLength(13);
  await test.database.kysely
    .updateTable('inbox_rejections')
    .set({ rejected_at: new Date(0) })
    .execute();
  await trimRejections(test.database, { maxRows: 20, maxBodies: 3, maxAgeMs: week });
  expect(await countRejections()).toBe(0);
});

it("a stranger's odd texts are cut to the bounds of the table, never refused by it", async () => {
  await recordRejection(test.database, {
    ...record,
    explanation: 'x'.repeat(3000),
    contentType: `\0${'\ud800'.repeat(300)}`,
    headerNames: Array.from({ length: 300 }, () => 'h'.repeat(300)),
  });
  expect(await countRejections()).toBe(1);
});

const record: RejectionRecord = {
  provider: 'stripe',
  endpoint: 'billing',
  reason: 'signature_mismatch',
  diagnosis: 'unknown',
  explanation: 'nobody knows',
  secretLabel: null,
  skewMs: 1.5,
  bodySha256: createHash('sha256').digest('hex'),
  bodyBytes: 0,
  contentType: null,
  contentEncoding: null,
  headerNames: [],
  body: null,
};

function sum(metrics: string, name: string): number {
  const lines = metrics.split('\n').filter((line) => line.startsWith(`${name}{`));
  return lines.reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
}

async function countRejections(): Promise<number> {
  const rows = await test.database.kysely.selectFrom('inbox_rejections').select('rejection_id').execute();
  return rows.length;
}

/** Sends pipelined batches, each on a connection of its own; answers whether each request was real, and its status. */
async function sendMixed(forged: number, real: number): Promise<(readonly [boolean, number])[]> {
  const every = Math.floor((forged + real) / real);
  const plan = Array.from({ length: forged + real }, (_, number) => number % every === 0 && number / every < real);
  const seen: (readonly [boolean, number])[] = [];
  for (let at = 0; at < plan.length; at += batch) {
    const some = plan.slice(at, at + batch);
    const requests = some.map((isReal, number) =>
      onTheWire(isReal ? stripeEvent() : forgery(), { lines: number === some.length - 1 ? ['Connection: close'] : [] }),
    );
    const { answers } = await talk(ingest.port, Buffer.concat(requests));
    for (const [number, isReal] of some.entries()) seen.push([isReal, answers[number]?.status ?? 0]);
  }
  return seen;
}

const batch = 25;

/** Well formed and signed by somebody who does not know the secret: the dearest to refuse. */
function forgery(): SignedRequest {
  const { body, eventId } = stripeEvent();
  const signature = randomBytes(32).toString('hex');
  return { eventId, body, headers: { 'Stripe-Signature': `t=${Math.floor(Date.now() / 1000)},v1=${signature}` } };
}
