import { expect, it } from 'vitest';
import { createTokenBucket } from '../src/token-bucket.ts';

it('lets a burst through, then a steady rate, and saves up no more than a burst', () => {
  let now = 1000;
  const bucket = createTokenBucket({ perSecond: 2, burst: 3 }, () => now);
  const taken = (tries: number) => Array.from({ length: tries }, () => bucket.take()).filter(Boolean).length;
  expect(taken(10)).toBe(3);
  now += 499;
  expect(taken(10)).toBe(0);
  now += 1;
  expect(taken(10)).toBe(1);
  now += 3_600_000;
  expect(taken(10)).toBe(3);
});
