import { expect, it } from 'vitest';
import { createBodyBudget } from '../src/body-budget.ts';

it('gives out no more bytes than there are, and takes them back', () => {
  const budget = createBodyBudget(10);
  expect(budget.take(6)).toBe(true);
  expect(budget.take(5)).toBe(false);
  expect(budget.take(4)).toBe(true);
  budget.give(6);
  expect(budget.take(6)).toBe(true);
});
