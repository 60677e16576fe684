import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellWord } from '../src/terminal/typed.ts';
import { visible } from '../src/terminal/visible.ts';

const unsafe = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

test('whatever a text holds, what is shown is one line that drives no terminal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      expect(visible(text)).not.toMatch(unsafe);
      expect(shellWord(text)).not.toMatch(unsafe);
    }),
  );
});

test('text without such characters is shown as it is', () => {
  expect(visible('relation "orders" does not exist — été 日本 🙂')).toBe(
    'relation "orders" does not exist — été 日本 🙂',
  );
});

test.each([
  ['a\nb\tc\r', 'a\\nb\\tc\\r'],
  ['\u001b[31mred', '\\u001b[31mred'],
  ['\u009b31m', '\\u009b31m'],
  ['a\u202eb', 'a\\u202eb'],
])('%j is shown as %s', (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test.each([
  ['stripe/billing/evt_1', 'stripe/billing/evt_1'],
  ['', "''"],
  ['two words', "'two words'"],
  ["it's", "'it'\\''s'"],
  ['$HOME `x` \\', "'$HOME `x` \\'"],
  ["e\u001b'\\", "$'e\\u001b\\'\\\\'"],
])('%j is quoted for a shell as %s', (word, quoted) => {
  expect(shellWord(word)).toBe(quoted);
});
