import type { JsonValue } from '@mailroom/kernel';
import { describe, expect, test } from 'vitest';
import { invoiceEvent } from '../src/stripe/read-invoice.ts';

const thin = { id: 'in_1', status: 'open' };
const paid = { ...thin, status: 'paid', amount_paid: 500, currency: 'eur' };

const read = (object: JsonValue) => invoiceEvent.parse({ data: { object } });

function problemsOf(object: JsonValue): readonly string[] {
  return invoiceEvent.safeParse({ data: { object } }).error?.issues.map((issue) => issue.path.join('.')) ?? [];
}

describe('both shapes of a Stripe invoice are understood', () => {
  test('before 2025-03-31 the subscription stands on the invoice', () => {
    expect(read({ ...thin, subscription: 'sub_1' }).subscription).toBe('sub_1');
  });

  test('since 2025-03-31 the subscription stands under the parent', () => {
    const parent = { type: 'subscription_details', subscription_details: { subscription: 'sub_1', metadata: null } };
    expect(read({ ...thin, parent }).subscription).toBe('sub_1');
    expect(read({ ...thin, subscription: null, parent }).subscription).toBe('sub_1');
  });

  test('an invoice without a subscription has none', () => {
    const quoted = { type: 'quote_details', quote_details: { quote: 'qt_1' }, subscription_details: null };
    for (const parent of [null, quoted]) expect(read({ ...thin, parent }).subscription).toBeNull();
    expect(read(thin).subscription).toBeNull();
  });

  test.each([
    ['an id', 'cus_1', 'cus_1'],
    ['an expanded object', { id: 'cus_1', object: 'customer', email: 'a@example.invalid' }, 'cus_1'],
    ['a deleted object', { id: 'cus_1', object: 'customer', deleted: true }, 'cus_1'],
    ['null', null, null],
  ])('a customer given as %s', (_how, customer, expected) => {
    expect(read({ ...thin, customer }).customer).toBe(expected);
  });
});

describe('amounts are exact or refused', () => {
  test.each([
    [0, 0n],
    [500, 500n],
    [9_007_199_254_740_993n, 9_007_199_254_740_993n],
    [2n ** 63n - 1n, 2n ** 63n - 1n],
  ])('%s is read', (given, expected) => {
    expect(read({ ...paid, amount_paid: given }).amountPaid).toBe(expected);
  });

  test.each([-1, -(2n ** 60n), 2n ** 63n, 0.5, 1e300, '500', true, null, [500]])('%s is refused', (given) => {
    expect(problemsOf({ ...paid, amount_paid: given })).toEqual(['data.object.amount_paid']);
  });
});

describe('only what is paid counts as paid', () => {
  test('a paid invoice that does not say how much or in what is refused', () => {
    expect(problemsOf({ ...thin, status: 'paid' })).toEqual(['data.object.amount_paid', 'data.object.currency']);
  });

  test('the old flag `paid` is not read', () => {
    expect(read({ ...thin, paid: true }).status).toBe('open');
  });

  test.each(['deleted', 'PAID', '', null, 1])('a status of %j is refused', (status) => {
    expect(problemsOf({ ...paid, status })).toEqual(['data.object.status']);
  });
});

test.each(['', 'in_\0', 'in_\ud800', 'i'.repeat(241), 7, null])('an id of %j is refused', (id) => {
  expect(problemsOf({ ...paid, id })).toEqual(['data.object.id']);
});
