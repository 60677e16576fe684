import type { Rule } from '../rule.ts';

/** `0001_name.sql`, `0002_name.sql`, ...: two branches that took the same number must meet in review, not in production. */
export const migrationsNumbered: Rule = {
  name: 'migrations numbered',
  looksAtLeastAt: 2,
  check(tree) {
    const files = [...tree.keys()]
      .filter((path) => path.startsWith('migrations/') && path !== 'migrations/schema.sql')
      .toSorted();
    const violations = files.flatMap((file, at) => {
      const due = String(at + 1).padStart(4, '0');
      return new RegExp(`^migrations/${due}_[a-z0-9_]+\\.sql$`).test(file)
        ? []
        : [{ file, problem: `is not named ${due}_<name>.sql, the next number without a gap` }];
    });
    return { lookedAt: files.length, violations };
  },
  broken: [
    example('a gap', ['0001_a.sql', '0003_b.sql'], '0003_b.sql'),
    example('a number taken twice', ['0001_a.sql', '0001_b.sql'], '0001_b.sql'),
    example('no number', ['0001_a.sql', 'later.sql'], 'later.sql'),
    example('a start other than 1', ['0000_a.sql'], '0000_a.sql'),
  ],
};

function example(title: string, names: readonly string[], broken: string) {
  return {
    title,
    files: Object.fromEntries(names.map((name) => [`migrations/${name}`, ''])),
    in: `migrations/${broken}`,
  };
}
