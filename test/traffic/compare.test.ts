import { describe, expect, it } from 'vitest';
import { compare, differencesOf, type FoundRows, type WantedRows } from './compare.ts';

const wanted = new Map<string, WantedRows>([
  [
    'ledger',
    new Map([
      ['in_1 payment', { cells: { amount: '5' }, allOrNone: 'in_1' }],
      ['in_1 reversal', { cells: { amount: '-5' }, allOrNone: 'in_1' }],
    ]),
  ],
  ['outbox', new Map([['in_1 paid', { cells: { event: ['a', 'b'] }, allOrNone: 'in_1' }]])],
]);

function found(ledger: Record<string, string>, outbox: Record<string, string>): ReadonlyMap<string, FoundRows> {
  return new Map([
    ['ledger', rowsOf('amount', ledger)],
    ['outbox', rowsOf('event', outbox)],
  ]);
}

function rowsOf(column: string, cells: Record<string, string>): FoundRows {
  return new Map(Object.entries(cells).map(([key, value]) => [key, [{ [column]: value }]]));
}

describe('compare', () => {
  it('accepts rows that belong together when all are there', () => {
    const all = found({ 'in_1 payment': '5', 'in_1 reversal': '-5' }, { 'in_1 paid': 'b' });
    expect(differencesOf(compare(wanted, all))).toEqual([]);
  });

  it('accepts rows that belong together when none is there', () => {
    expect(differencesOf(compare(wanted, found({}, {})))).toEqual([]);
  });

  it('names what is missing of rows that belong together, in every table', () => {
    const half = found({ 'in_1 payment': '5' }, {});
    expect(differencesOf(compare(wanted, half))).toEqual([
      { table: 'ledger', key: 'in_1 reversal', kind: 'missing', detail: 'wanted amount=-5' },
      { table: 'outbox', key: 'in_1 paid', kind: 'missing', detail: 'wanted event=a or b' },
    ]);
  });

  it('accepts any of several values and no other', () => {
    const other = found({ 'in_1 payment': '5', 'in_1 reversal': '-5' }, { 'in_1 paid': 'c' });
    expect(differencesOf(compare(wanted, other))).toEqual([
      { table: 'outbox', key: 'in_1 paid', kind: 'different', detail: 'event: wanted a or b, found c' },
    ]);
  });

  it('calls a table that could not be read a loss of all its rows', () => {
    const [ledger] = compare(new Map([['ledger', new Map([['x', { cells: {} }]])]]), new Map());
    expect(ledger).toMatchObject({ wanted: 1, found: 0, differences: [{ kind: 'missing', key: 'x' }] });
  });
});
