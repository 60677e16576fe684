import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

test.each([
  { page: 'docs/handlers.md', atLeast: 5 },
  { page: 'docs/testing-handlers.md', atLeast: 1 },
  { page: 'docs/embedding.md', atLeast: 6 },
  { page: 'docs/write-backs.md', atLeast: 1 },
  { page: 'docs/outbox.md', atLeast: 1 },
])('the code in $page is the code of the repository', async ({ page, atLeast }) => {
  const text = await readFile(resolve(root, page), 'utf8');
  const quotes = [...text.matchAll(/<!-- code: (?<file>\S+) -->\n```ts\n(?<code>[\s\S]*?)```/g)];
  const stale: string[] = [];
  for (const { groups: { file = '', code = '' } = {} } of quotes) {
    const source = await readFile(resolve(root, file), 'utf8');
    if (!source.includes(code)) stale.push(`${file} no longer holds:\n${code}`);
  }
  expect(stale).toEqual([]);
  expect(quotes.length).toBeGreaterThanOrEqual(atLeast);
  // Every code block says which file it is from.
  expect(text.match(/```ts/g)?.length).toBe(quotes.length);
});
