import { type Database, inTransaction } from '@mailroom/db';
import { defineHandler, type Handler, objectLockKey } from '@mailroom/domain';
import { done } from '@mailroom/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { hasPgbouncer, startPgbouncer } from '../support/pgbouncer.ts';
import type { GivenEvent } from './apply-event.ts';
import { stripeEvent } from './stripe-event.ts';

if (!hasPgbouncer()) {
  process.stderr.write(
    'skipped: heavy handlers behind PgBouncer, which is not installed (apt-get install pgbouncer)\n',
  );
}

test('the key is the first 8 bytes of SHA-256 over provider and object, signed and big-endian', () => {
  // printf 'stripe/customer/cus_1' | sha256sum
  expect(objectLockKey('stripe', 'customer/cus_1')).toBe(-7_877_797_207_472_880_307n);
  expect(objectLockKey('stripe', 'customer/cus_2')).toBe(-7_662_641_162_279_862_438n);
});

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

describe('on two connections', () => {
  holdHeavy(() => db.database);
});

describe.skipIf(!hasPgbouncer())('behind PgBouncer in transaction mode', () => {
  let pooled: Database;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const bouncer = await startPgbouncer(db.url, { serverConnections: 3 });
    stop = bouncer.stop;
    pooled = db.open({ url: bouncer.url });
  });
  afterAll(async () => {
    await pooled.close();
    await stop();
  });
  holdHeavy(() => pooled);

  test('a session-level lock would stay behind on a server connection that others get, which is why none is used', async () => {
    const lock = sql`select pg_advisory_lock(1)`;
    await inTransaction(pooled, (tx) => lock.execute(tx));
    expect(await heldLocks()).toBe(1);
  });
});

async function heldLocks(): Promise<number> {
  const { rows } = await sql<{ held: string }>`
    select count(*) as held from pg_locks
    where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`.execute(
    db.database.kysely,
  );
  return Number(rows[0]?.held);
}

function holdHeavy(databaseOf: () => Database): void {
  const about = (customer: string, id = `evt_${customer}`) =>
    stripeEvent('customer.updated', { id: customer, object: 'customer' }, { id });

  test('a second worker leaves at once with a snooze, and gets in when the first has committed or rolled back', async () => {
    for (const end of ['commit', 'rollback']) {
      const first = holding(databaseOf(), about('cus_1'), end);
      await first.inside;
      expect(await run(databaseOf(), idle, about('cus_1', 'evt_other'))).toMatchObject({
        outcome: 'snooze',
        reason: 'another worker is busy with this object',
      });
      expect(await run(databaseOf(), idle, about('cus_2'))).toEqual(done);
      first.release();
      await first.ended;
      expect(await run(databaseOf(), idle, about('cus_1', 'evt_other'))).toEqual(done);
    }
    expect(await heldLocks()).toBe(0);
  });

  test('a payload that does not fit is refused without the lock, and one transaction may take it twice', async () => {
    const broken = { ...about('cus_1'), payload: {} };
    const first = holding(databaseOf(), about('cus_1'), 'commit');
    await first.inside;
    expect(await run(databaseOf(), idle, broken)).toMatchObject({ outcome: 'reject' });
    first.release();
    await first.ended;
    await inTransaction(databaseOf(), async (tx) => {
      for (const given of [about('cus_1'), about('cus_1', 'evt_2')]) {
        expect(await idle.handle({ ...given, tx, body: Buffer.from('') })).toEqual(done);
      }
    });
  });
}

const payload = z.object({ data: z.object({ object: z.object({ id: z.string() }) }) });

const idle = defineHandler({
  provider: 'stripe',
  eventType: 'customer.updated',
  payload,
  heavy: true,
  handle: () => Promise.resolve(done),
});

async function run(database: Database, handler: Handler, given: GivenEvent) {
  return await inTransaction(database, (tx) => handler.handle({ ...given, tx, body: Buffer.from('') }));
}

/** A heavy handler that is inside until it is released, and then ends its transaction. */
function holding(database: Database, given: GivenEvent, end: string) {
  const inside = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const long = defineHandler({
    provider: 'stripe',
    eventType: 'customer.updated',
    payload,
    heavy: true,
    async handle() {
      inside.resolve();
      await released.promise;
      if (end === 'rollback') throw new Error('rolled back on purpose');
      return done;
    },
  });
  const ended = run(database, long, given).then(
    () => 'commit',
    () => 'rollback',
  );
  return { inside: Promise.race([inside.promise, ended]), release: () => released.resolve(), ended };
}
