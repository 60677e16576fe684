import { expect, test } from 'vitest';
import { retryAfterMs } from '../src/http/retry-after.ts';

const nowMs = Date.parse('2026-11-30T12:00:00Z');

test.each<[string | undefined, number | undefined]>([
  ['0', 0],
  ['120', 120_000],
  [' 5 ', 5_000],
  ['86400', 3_600_000],
  ['999999999999999', 3_600_000],
  ['Mon, 30 Nov 2026 12:00:30 GMT', 30_000],
  ['Mon, 30 Nov 2026 11:00:00 GMT', 0],
  ['Mon, 30 Nov 2037 12:00:00 GMT', 3_600_000],
  ['-5', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After: %s', (header, expected) => {
  expect(retryAfterMs(header, nowMs)).toBe(expected);
});
