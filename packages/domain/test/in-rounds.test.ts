import { expect, test } from 'vitest';
import { inRounds } from '../src/in-rounds.ts';

test('no round holds a key twice, and each key keeps its order', () => {
  const items = ['a1', 'b1', 'a2', 'c1', 'a3', 'b2'];
  expect(inRounds(items, (item) => item.slice(0, 1))).toEqual([['a1', 'b1', 'c1'], ['a2', 'b2'], ['a3']]);
  expect(inRounds([], String)).toEqual([]);
});
