import { expect, test } from 'vitest';
import { ago, instant, moment, spanOf } from '../src/terminal/span.ts';

test.each([
  [0, '0s'],
  [0.4, '0s'],
  [-3, '0s'],
  [59.4, '59s'],
  [59.6, '1m'],
  [61, '1m 1s'],
  [3_600, '1h'],
  [3_661, '1h 1m'],
  [86_399, '23h 59m'],
  [90_000, '1d 1h'],
  [31_536_000, '365d'],
])('%s seconds are said as %s', (seconds, words) => {
  expect(spanOf(seconds)).toBe(words);
});

test('a time says how far away it is, in either direction', () => {
  const now = new Date('2026-11-30T03:00:00.900Z');
  const before = new Date('2026-11-30T02:55:50.100Z');
  expect(ago(before, now)).toBe('4m 11s ago');
  expect(ago(now, before)).toBe('in 4m 11s');
  expect(ago(now, now)).toBe('just now');
  expect(instant(before)).toBe('2026-11-30 02:55:50Z');
  expect(moment(before, now)).toBe('2026-11-30 02:55:50Z  (4m 11s ago)');
});
