import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CodedError } from '@mailroom/kernel';

/** One `NNNN_name.sql`, read. */
export interface MigrationFile {
  /** The file name without `.sql`, for example `0001_inbox`. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the text, in hex. */
  readonly checksum: string;
}

/** The repository's own migrations folder. */
export const defaultMigrationsDirectory = fileURLToPath(new URL('../../../migrations', import.meta.url));

/**
 * Reads the migrations of a folder in their order. Throws `migrations_unreadable`, `migration_bad_name` for a `.sql` file
 * that would otherwise be passed over in silence, and `migration_bad_number` for a gap or a number used twice.
 */
export async function readMigrationFiles(directory: string): Promise<readonly MigrationFile[]> {
  const names = await sqlFileNames(directory);
  for (const [index, name] of names.entries()) {
    const number = Number(name.slice(0, 4));
    const expected = index + 1;
    if (number === expected) continue;
    throw new CodedError(
      'migration_bad_number',
      number < expected
        ? `${directory} has two migrations with the number ${name.slice(0, 4)}: ${names[index - 1]} and ${name}. Give the newer one the next free number.`
        : `${directory} has no migration with the number ${String(expected).padStart(4, '0')}, yet it has ${name}. Numbers run from 0001 without a gap.`,
    );
  }
  return await Promise.all(
    names.map(async (name) => {
      // A checkout with CRLF line ends must not look like a changed migration.
      const sql = (await readFile(join(directory, name), 'utf8')).replaceAll('\r\n', '\n');
      return { name: name.slice(0, -'.sql'.length), sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function sqlFileNames(directory: string): Promise<string[]> {
  let entries: string[];
  try {
    entries = await readdir(directory);
  } catch (error) {
    throw new CodedError('migrations_unreadable', `the migrations folder ${directory} cannot be read`, {
      cause: error,
    });
  }
  const names = entries.filter((entry) => entry.endsWith('.sql') && entry !== dumpedSchema).toSorted();
  const bad = names.find((name) => !/^\d{4}_[a-z0-9_]+\.sql$/.test(name));
  if (bad !== undefined) {
    throw new CodedError('migration_bad_name', `${join(directory, bad)} is not named like 0001_what_it_does.sql`);
  }
  if (names.length === 0) {
    throw new CodedError('migrations_unreadable', `the migrations folder ${directory} holds no migration`);
  }
  return names;
}

// The result of all migrations, written by `npm run generate`; nobody applies it.
const dumpedSchema = 'schema.sql';
