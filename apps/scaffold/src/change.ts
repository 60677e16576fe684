import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CodedError } from '@mailroom/kernel';

/** One file to write, by its path from the repository's root. */
export type Change =
  | { readonly path: string; readonly create: string }
  /** Given the text that is there. */
  | { readonly path: string; readonly edit: (text: string) => string };

/** Writes all of them or, where a file to create is there already or one to edit is not as expected, none. */
export async function apply(root: string, changes: readonly Change[]): Promise<void> {
  const texts = await Promise.all(
    changes.map(async (change) => {
      const path = join(root, change.path);
      if ('edit' in change) return { path, text: change.edit(await readFile(path, 'utf8')) };
      if (existsSync(path)) throw new CodedError('exists_already', `${change.path} is there already`);
      return { path, text: change.create };
    }),
  );
  for (const { path, text } of texts) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

/** Puts a line behind the first one that matches. Throws `unexpected_file` where none does. */
export function insertAfter(text: string, line: RegExp, inserted: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((candidate) => line.test(candidate));
  if (at < 0)
    throw new CodedError('unexpected_file', `no line like ${line.source}, after which "${inserted}" would go`);
  return lines.toSpliced(at + 1, 0, inserted).join('\n');
}
