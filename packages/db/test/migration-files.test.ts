import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultMigrationsDirectory, readMigrationFiles } from '../src/migration-files.ts';

describe('the migrations folder', () => {
  let folder: string;
  const write = (name: string, text = 'select 1;\n') => writeFile(join(folder, name), text);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mailroom-migrations-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is read in the order of its numbers', async () => {
    await write('0002_second.sql');
    await write('0001_first.sql');
    await write('schema.sql');
    await write('README.md');
    expect((await readMigrationFiles(folder)).map(({ name }) => name)).toEqual(['0001_first', '0002_second']);
  });

  it('gives a file the same checksum with either kind of line end, and another one when a word changes', async () => {
    await write('0001_lf.sql', 'select 1;\nselect 2;\n');
    await write('0002_crlf.sql', 'select 1;\r\nselect 2;\r\n');
    await write('0003_other.sql', 'select 1;\nselect 3;\n');
    const [lf, crlf, other] = (await readMigrationFiles(folder)).map(({ checksum }) => checksum);
    expect(crlf).toBe(lf);
    expect(other).not.toBe(lf);
  });

  it.each([
    { files: ['0001_first.sql', '0003_third.sql'], code: 'migration_bad_number', names: '0002' },
    { files: ['0002_second.sql'], code: 'migration_bad_number', names: '0001' },
    { files: ['0001_first.sql', '0001_other.sql'], code: 'migration_bad_number', names: '0001_first.sql' },
    { files: ['0001_first.sql', '2_second.sql'], code: 'migration_bad_name', names: '2_second.sql' },
    { files: ['0001_first.sql', '0002_Second.sql'], code: 'migration_bad_name', names: '0002_Second.sql' },
    { files: ['schema.sql'], code: 'migrations_unreadable', names: 'holds no migration' },
  ])('refuses $files with $code', async ({ files, code, names }) => {
    for (const file of files) await write(file);
    await expect(readMigrationFiles(folder)).rejects.toMatchObject({ code, message: expect.stringContaining(names) });
  });

  it('refuses a folder that is not there', async () => {
    await expect(readMigrationFiles(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'migrations_unreadable' });
  });

  it("of this repository passes its own rules, and isn't empty", async () => {
    expect((await readMigrationFiles(defaultMigrationsDirectory)).length).toBeGreaterThan(1);
  });
});
