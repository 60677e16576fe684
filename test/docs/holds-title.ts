import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** Whether a test file has a test of that title. A title is a whole text of the file: half a title or a comment does not count. */
export function holdsTitle(path: string, title: string): boolean {
  if (path === '' || !existsSync(resolve(root, path))) return false;
  const source = readFileSync(resolve(root, path), 'utf8');
  return [`'${title}'`, `"${title}"`, `\`${title}\``].some((literal) => source.includes(literal));
}
