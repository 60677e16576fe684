import { expect, it } from 'vitest';
import { createTrafficRate } from '../src/traffic-rate.ts';

it('tells the rate between two readings and takes a count that falls for no traffic', () => {
  const rate = createTrafficRate();
  expect(rate.read(100, 1_000)).toBe(0);
  expect(rate.read(150, 3_000)).toBe(25);
  expect(rate.read(10, 4_000)).toBe(0);
  expect(rate.read(12, 4_000)).toBe(0);
});
