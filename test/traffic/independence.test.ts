import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('computes what must be there without a line of Mailroom', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  expect(files.length).toBeGreaterThan(10);
  const imported = files.flatMap((name) => {
    const source = readFileSync(`${import.meta.dirname}/${name}`, 'utf8');
    return [...source.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, specifier = '']) => specifier);
  });
  expect(imported.length).toBeGreaterThan(files.length);
  expect(imported.filter((specifier) => !/^(?:\.\/[\w.-]+\.ts|node:\w+.*|pg)$/.test(specifier))).toEqual([]);
});
