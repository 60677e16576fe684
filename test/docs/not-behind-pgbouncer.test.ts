import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { notBehindPgbouncer } from '../support/not-behind-pgbouncer.ts';
import { holdsTitle } from './holds-title.ts';

test('every test that is excepted behind PgBouncer exists', () => {
  const missing = Object.entries(notBehindPgbouncer).flatMap(([file, tests]) => {
    if (!existsSync(resolve(import.meta.dirname, '../..', file))) return [file];
    if (typeof tests === 'string') return [];
    return Object.keys(tests).filter((title) => !holdsTitle(file, title));
  });
  expect(missing).toEqual([]);
  expect(Object.keys(notBehindPgbouncer).length).toBeGreaterThan(3);
});
