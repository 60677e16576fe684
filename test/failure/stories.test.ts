import { expect, it } from 'vitest';
import { seededRandom } from '../support/seeded-random.ts';
import { createStories } from './stories.ts';

it('tells the same stories for the same seed, and others for another', () => {
  expect(told(7)).toEqual(told(7));
  expect(told(8)).not.toEqual(told(7));
});

it('tells every kind of story: twins, paid and void, failed payments, invoices that many events are about', () => {
  const events = told(7);
  const typesOf = Map.groupBy(events, ({ invoice }) => invoice?.id ?? '');
  const kinds = new Set([...typesOf.values()].map((of) => of.map(({ type }) => type).join(' ')));
  expect([...kinds]).toEqual(
    expect.arrayContaining([
      'invoice.created invoice.finalized invoice.paid',
      'invoice.paid invoice.paid',
      'invoice.paid invoice.voided',
    ]),
  );
  expect(Math.max(...[...typesOf.values()].map((of) => of.length))).toBeGreaterThan(5);
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
});

function told(seed: number) {
  const stories = createStories('run', seededRandom(seed));
  return Array.from({ length: 2_000 }, () => stories.next()).flat();
}
