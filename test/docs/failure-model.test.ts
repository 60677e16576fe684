import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { faults } from '../failure/faults.ts';
import { holdsTitle } from './holds-title.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/failure-model.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.includes('| shown by |'))
  .map((line) => line.slice(2, -2).split(' | '));
const shown = rows.flatMap((cells) => cells.at(-1)?.split('<br>') ?? []);

test('docs/failure-model.md says of each moment what shows it, but for the one that nothing can', () => {
  expect(rows.length).toBeGreaterThanOrEqual(35);
  const unproved = shown.filter((entry) => !/^(chaos: .+|`[^`]+\.test\.ts`: .+)$/.test(entry));
  expect(unproved).toEqual(['no test: there is nothing to hold']);
});

test('every test that docs/failure-model.md names exists under that title', () => {
  const named = shown.map((entry) => /^`(?<path>[^`]+\.test\.ts)`: (?<title>.+)$/.exec(entry)?.groups).filter(Boolean);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((one) => !holdsTitle(one?.['path'] ?? '', one?.['title'] ?? ''))).toEqual([]);
});

test('docs/failure-model.md names every fault of the fault bench, and no other', () => {
  const named = shown.filter((entry) => entry.startsWith('chaos: ')).map((entry) => entry.slice('chaos: '.length));
  const known = faults.map(({ name }) => name);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => !named.includes(name))).toEqual([]);
});
