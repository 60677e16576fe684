import type { JsonValue } from '@mailroom/kernel';
import { expect, test } from 'vitest';
import { samples } from '../src/stripe/samples.ts';

interface SampleEvent {
  readonly id: string;
  readonly data: { readonly object: Invoice };
}

interface Invoice {
  readonly status: string;
  readonly total: number;
  readonly amount_due: number;
  readonly amount_paid: number;
  readonly amount_remaining: number;
  readonly lines: { readonly data: readonly { readonly amount: number }[] };
  readonly total_taxes?: readonly { readonly amount: number }[];
  readonly paid?: boolean;
  readonly subscription?: string;
  readonly parent?: { readonly subscription_details: { readonly subscription: string } };
}

const entries = Object.entries(samples)
  .filter(([name]) => name.startsWith('invoice.'))
  .map(([name, { body }]) => [name, eventOf(body({ tag: 'T1', nowMs: 1.8e12 }))] as const);

test('there is a sample of each stage of an invoice, and one of an old API version', () => {
  expect(entries.map(([name]) => name)).toEqual([
    'invoice.created',
    'invoice.finalized',
    'invoice.paid',
    'invoice.payment_failed',
    'invoice.voided',
    'invoice.paid.2020-03-02',
  ]);
  expect(new Set(entries.map(([, event]) => event.id)).size).toBe(6);
});

test.each(entries)('the amounts of %s add up', (_name, { data: { object: invoice } }) => {
  const lines = sum(invoice.lines.data.map(({ amount }) => amount));
  const taxes = sum((invoice.total_taxes ?? []).map(({ amount }) => amount));
  expect(lines + taxes).toBe(invoice.total);
  expect(invoice.amount_due).toBe(invoice.total);
  expect(invoice.amount_paid + invoice.amount_remaining).toBe(invoice.amount_due);
  expect(invoice.amount_paid).toBe(invoice.status === 'paid' ? invoice.total : 0);
});

test.each(entries)('%s tells its subscription where its API version does', (name, { data: { object: invoice } }) => {
  const isOld = name.endsWith('2020-03-02');
  expect(invoice.subscription).toBe(isOld ? 'sub_T1Of2020' : undefined);
  expect(invoice.paid).toBe(isOld ? true : undefined);
  expect(invoice.parent?.subscription_details.subscription).toBe(isOld ? undefined : 'sub_T1');
});

function eventOf(body: JsonValue): SampleEvent {
  return JSON.parse(JSON.stringify(body)) as SampleEvent;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
