import type { Rule } from '../rule.ts';
import { typescriptOf } from '../source-tree.ts';

const ceiling = 300;

/** A file past the ceiling holds a second concept; tests are files too. */
export const fileCeiling: Rule = {
  name: 'file ceiling',
  looksAtLeastAt: 150,
  check(tree) {
    const files = typescriptOf(tree).map(([path, text]) => ({ path, lines: text.trimEnd().split('\n').length }));
    const violations = files
      .filter(({ lines }) => lines > ceiling)
      .map(({ path, lines }) => ({
        file: path,
        problem: `has ${lines} lines, over the ceiling of ${ceiling}: look for the second concept in it`,
      }));
    return { lookedAt: files.length, violations };
  },
  broken: ['packages/db/src/a.ts', 'test/inbox/a.test.ts'].map((path) => ({
    title: path,
    files: { [path]: '//\n'.repeat(ceiling + 1) },
    in: path,
  })),
};
