import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

test('the code in docs/handlers.md is the code of the repository', async () => {
  const page = await readFile(resolve(root, 'docs/handlers.md'), 'utf8');
  const quotes = [...page.matchAll(/<!-- code: (?<file>\S+) -->\n```ts\n(?<code>[\s\S]*?)```/g)];
  for (const quote of quotes) {
    const { file = '', code = '' } = quote.groups ?? {};
    expect(await readFile(resolve(root, file), 'utf8'), `${file} no longer holds what the page quotes`).toContain(code);
  }
  expect(quotes.length).toBeGreaterThanOrEqual(5);
  expect(page.match(/```ts/g)?.length, 'a code block does not say which file it is from').toBe(quotes.length);
});
