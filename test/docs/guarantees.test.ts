import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { holdsTitle } from './holds-title.ts';

const root = resolve(import.meta.dirname, '../..');
const rows = readFileSync(resolve(root, 'docs/guarantees.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (guarantee|wrong order) \|/.test(line))
  .map((line) => line.slice(2, -2).split(' | '));

test('docs/guarantees.md has three columns and a plausible number of rows', () => {
  expect(rows.filter((cells) => cells.length !== 3)).toEqual([]);
  expect(rows.length).toBeGreaterThanOrEqual(50);
});

test('every test that docs/guarantees.md names exists under that title', () => {
  const named = rows.flatMap(([guarantee = '', tests = '']) =>
    tests.split('<br>').map((entry) => {
      const { path = '', title = '' } = /^`(?<path>[^`]+\.test\.ts)`: (?<title>.+)$/.exec(entry)?.groups ?? {};
      return { guarantee, path, title };
    }),
  );
  expect(named.filter(({ path, title }) => !holdsTitle(path, title))).toEqual([]);
});

test('every file that docs/guarantees.md names as the place exists', () => {
  const places = rows.flatMap(([, , code = '']) =>
    code.split(', ').map((place) => /^`([^`]+)`$/.exec(place)?.[1] ?? ''),
  );
  expect(places.filter((place) => place === '' || !existsSync(resolve(root, place)))).toEqual([]);
});
