import { describe, expect, it } from 'vitest';
import { defaultMigrationsDirectory, readMigrationFiles } from '../src/migration-files.ts';
import { splitStatements } from '../src/split-statements.ts';

const split = (text: string) => splitStatements(text).map(({ sql }) => sql);

describe('splitting a migration into statements', () => {
  it.each([
    ['a semicolon in a string', "select ';'; select 2"],
    ['a doubled quote in a string', "select 'it''s; so'; select 2"],
    ['a backslash at the end of a plain string', String.raw`select '\'; select 2`],
    ['an escaped quote in an escape string', String.raw`select E'it\'s; so'; select 2`],
    ['a quoted name', 'select 1 as "a;""b"; select 2'],
    ['a line comment', "select 1 -- it's; so\n; select 2"],
    ['a block comment, nested', "select 1 /* ; /* ' ; */ ; */; select 2"],
    ['a dollar-quoted body', "select $$ it's; begin end; $$; select 2"],
    ['a tagged body that holds another', 'select $a$ ; $b$ ; $$ ; $a$; select 2'],
    ['a dollar sign inside a name', 'select a$b$c from t; select 2'],
    ['a positional parameter', 'select $1; select 2'],
    ['a name that ends in e before a string', "select type'x;y'; select 2"],
  ])('is not misled by %s', (_what, text) => {
    const statements = split(text);
    expect(statements).toHaveLength(2);
    expect(statements.join(';')).toBe(text.replace('; select 2', ';select 2'));
  });

  it('gives nothing for empty statements, blanks and comments', () => {
    expect(split('')).toEqual([]);
    expect(split(' ;\n;; -- nothing; here\n /* nor; here */ ;')).toEqual([]);
  });

  it('tells the line on which a statement begins, not counting the comments before it', () => {
    expect(splitStatements('-- a\nselect 1;\n\n/* b\n c */\nselect\n2;').map(({ line }) => line)).toEqual([2, 6]);
  });

  it('takes a quote that is never closed to the end of the file, and comes to an end', () => {
    for (const open of ["'", '"', '$$', '$tag$', '/*', "E'\\"]) {
      expect(split(`select 1; select ${open} ; select 2`)[0]).toBe('select 1');
      expect(split(`select 1; select ${open} ; select 2`)).toHaveLength(2);
    }
  });

  it("loses nothing of this repository's migrations but semicolons, comments and blanks between statements", async () => {
    for (const { sql } of await readMigrationFiles(defaultMigrationsDirectory)) {
      const statements = splitStatements(sql);
      expect(statements.length).toBeGreaterThan(0);
      for (const statement of statements)
        expect(statement.sql).toMatch(/^(?:create|alter|insert|comment|drop|update) /);
      let rest = sql;
      for (const statement of statements) rest = rest.replace(statement.sql, () => '');
      expect(rest.replaceAll(/--[^\n]*/g, '').replaceAll(/[\s;]/g, '')).toBe('');
    }
  });
});
