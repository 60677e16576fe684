import { createHash } from 'node:crypto';
import { type RejectionRecord, recordRejection } from '@mailroom/inbox';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runJson, runMailroom } from './run-mailroom.ts';

interface Listed {
  readonly rejections: readonly { readonly id: string; readonly diagnosis: string; readonly endpoint: string }[];
}

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());
beforeEach(() => db.database.pool.query('delete from inbox_rejections'));

const body = Buffer.from([0x7b, 0x00, 0xff, 0x0a]);
const record: RejectionRecord = {
  provider: 'stripe',
  endpoint: 'billing',
  reason: 'signature_mismatch',
  diagnosis: 'body_reserialised',
  explanation: 'The signature is right under "live" for the body written as JSON compact.',
  secretLabel: 'live',
  skewMs: null,
  bodySha256: createHash('sha256').update(body).digest('hex'),
  bodyBytes: body.length,
  contentType: 'application/json\u001b[2J',
  contentEncoding: null,
  headerNames: ['host', 'stripe-signature'],
  body: null,
};

test('lists the newest first, filtered, and shows one whole', async () => {
  await recordRejection(db.database, record);
  await recordRejection(db.database, {
    ...record,
    endpoint: 'connect',
    diagnosis: 'stale',
    reason: 'timestamp_stale',
    skewMs: 3_600_000,
  });
  await recordRejection(db.database, { ...record, diagnosis: 'unknown', secretLabel: null, body });

  const diagnosesOf = async (...args: string[]) =>
    (await runJson<Listed>(['rejections', ...args], { url: db.url })).rejections.map(({ diagnosis }) => diagnosis);
  expect(await diagnosesOf()).toEqual(['unknown', 'stale', 'body_reserialised']);
  expect(await diagnosesOf('--endpoint', 'stripe/connect')).toEqual(['stale']);
  expect(await diagnosesOf('--endpoint', 'stripe', '--limit', '2')).toEqual(['unknown', 'stale']);
  expect(await diagnosesOf('--reason', 'timestamp_stale')).toEqual(['stale']);
  expect(await diagnosesOf('--diagnosis', 'unknown', '--newer-than', '1h')).toEqual(['unknown']);
  expect(await diagnosesOf('--endpoint', 'github')).toEqual([]);

  const plain = await runMailroom(['rejections'], { url: db.url });
  expect(plain.stdout).toMatch(/stripe\/billing\s+body_reserialised\s+live\s+4\s+The signature is right/);
  const { rejections } = await runJson<Listed>(['rejections'], { url: db.url });
  const [kept, stale] = rejections;
  const shown = await runMailroom(['rejections', stale?.id ?? ''], { url: db.url });
  expect(shown.stdout).toMatch(/signed\s+1h before/);
  expect(shown.stdout).toMatch(/headers\s+host, stripe-signature/);
  expect(shown.stdout).not.toContain('\u001b[2J');
  expect(await runJson(['rejections', kept?.id ?? ''], { url: db.url })).toMatchObject({
    bodyBase64: body.toString('base64'),
    bodySha256: record.bodySha256,
  });
  expect((await runMailroom(['rejections', kept?.id ?? '', '--body'], { url: db.url })).bytes).toEqual(body);
  expect((await runMailroom(['rejections', stale?.id ?? '', '--body'], { url: db.url })).code).toBe(1);
});

test('says when there is none, and what an id is', async () => {
  const none = await runMailroom(['rejections'], { url: db.url });
  expect([none.code, none.stdout]).toEqual([0, '']);
  expect(none.stderr).toContain('no rejections match');
  expect((await runMailroom(['rejections', '99999'], { url: db.url })).code).toBe(1);
  expect((await runMailroom(['rejections', "1'"], { url: db.url })).code).toBe(2);
});
