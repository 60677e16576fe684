import type { Bench } from '../bench.ts';
import { bookedByProduct, bookedNaively, eventId } from '../booked.ts';
import { markThenBook } from '../marked-receivers.ts';
import type { Pattern } from '../pattern.ts';
import { deliver } from '../through-the-product.ts';

const day = 86_400;
const delivered = 'one event, twice, 3 days apart';

export const dynamodbMarkerTtl: Pattern = {
  name: 'dynamodb-marker-ttl',
  title: 'A marker that expires before the provider gives up',
  why: 'A provider that retries for three days sends an event again when a marker of 24 hours is long gone, and it is processed as new. What is remembered must outlive the longest redelivery, by hand as well, so the ledger keeps every event id far longer than any provider can send it.',
  rightIn: 'migrations/0001_inbox.sql',
  ways: [
    {
      kind: 'wrong',
      does: 'marker with a TTL of 24 hours',
      delivered,
      expected: 'booked twice',
      run: (bench) => againAfterThreeDays(bench, day),
    },
    {
      kind: 'right',
      does: 'marker with a TTL of 90 days',
      delivered,
      expected: 'booked once',
      run: (bench) => againAfterThreeDays(bench, 90 * day),
    },
    {
      kind: 'right',
      does: 'row in the ledger',
      delivered,
      expected: 'booked once',
      run: async (bench) => {
        await deliver(bench);
        await bench.database.pool.query(`update webhook_inbox set received_at = received_at - interval '3 days'`);
        await deliver(bench);
        return await bookedByProduct(bench);
      },
    },
  ],
};

/** The clock is ours; the condition on `expires_at` is what makes a marker expire, for DynamoDB deletes it hours later or days. */
async function againAfterThreeDays(bench: Bench, ttl: number): Promise<string> {
  const stores = { database: bench.database, client: (await bench.dynamodb()).client };
  await markThenBook(stores, eventId, { time: { now: 0, ttl } });
  await markThenBook(stores, eventId, { time: { now: 3 * day, ttl } });
  return await bookedNaively(bench);
}
