import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

test('the code in docs/handlers.md is the code of the repository', async () => {
  const page = await readFile(resolve(root, 'docs/handlers.md'), 'utf8');
  const quotes = [...page.matchAll(/<!-- code: (?<file>\S+) -->\n```ts\n(?<code>[\s\S]*?)```/g)];
  const stale: string[] = [];
  for (const { groups: { file = '', code = '' } = {} } of quotes) {
    const source = await readFile(resolve(root, file), 'utf8');
    if (!source.includes(code))
      stale.push(`${file} no longer holds:
${code}`);
  }
  expect(stale).toEqual([]);
  expect(quotes.length).toBeGreaterThanOrEqual(5);
  // Every code block says which file it is from.
  expect(page.match(/```ts/g)?.length).toBe(quotes.length);
});
