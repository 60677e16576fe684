import { parseSync } from 'oxc-parser';
import type { Rule } from '../rule.ts';
import { sourcesOf } from '../source-tree.ts';

/** An index.ts is a list of what is public, so that the surface is read at one glance. */
export const indexReexports: Rule = {
  name: 'index only re-exports',
  looksAtLeastAt: 8,
  check(tree) {
    const indexes = sourcesOf(tree).filter(([path]) => path.endsWith('/index.ts'));
    const violations = indexes
      .filter(([path, text]) => !onlyReexports(path, text))
      .map(([path]) => ({
        file: path,
        problem: 'holds more than `export ... from`: move it to a file named after it',
      }));
    return { lookedAt: indexes.length, violations };
  },
  broken: [
    example('a constant', `export const answer = 42;`),
    example('a function beside re-exports', `export * from './a.ts';\nfunction hidden() {}`),
    example('an import with a side effect', `import './a.ts';`),
    example('an import exported under its name', `import { a } from './a.ts';\nexport { a };`),
  ],
};

function onlyReexports(path: string, text: string): boolean {
  return parseSync(path, text).program.body.every(
    (node) => node.type === 'ExportAllDeclaration' || (node.type === 'ExportNamedDeclaration' && node.source !== null),
  );
}

function example(title: string, text: string) {
  return { title, files: { 'packages/db/src/index.ts': text }, in: 'packages/db/src/index.ts' };
}
