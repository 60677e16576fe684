import { relative, resolve } from 'node:path';
import { beforeEach } from 'vitest';
import { notBehindPgbouncer } from './not-behind-pgbouncer.ts';
import { titlePattern } from './title-pattern.ts';

const root = resolve(import.meta.dirname, '../..');

beforeEach(({ task, skip }) => {
  if (process.env['TEST_PGBOUNCER'] !== '1') return;
  const exceptions = notBehindPgbouncer[relative(root, task.file.filepath)];
  const reason = typeof exceptions === 'string' ? exceptions : reasonOf(task.name, exceptions ?? {});
  if (reason !== undefined) skip(reason);
});

function reasonOf(name: string, exceptions: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(exceptions).find(([title]) => new RegExp(`^${titlePattern(title)}$`).test(name))?.[1];
}
