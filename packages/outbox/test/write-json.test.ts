import { readJson } from '@mailroom/kernel';
import { expect, test } from 'vitest';
import { writeJson } from '../src/write-json.ts';

test('an integer beyond 2^53 is written with every digit and read back as it was', () => {
  const value = { amount: 9_007_199_254_740_993n, list: [1, -(2n ** 63n)], text: '9007199254740993' };
  const text = writeJson(value);
  expect(text).toBe('{"amount":9007199254740993,"list":[1,-9223372036854775808],"text":"9007199254740993"}');
  expect(readJson(Buffer.from(text))).toEqual({ outcome: 'json', value });
});
