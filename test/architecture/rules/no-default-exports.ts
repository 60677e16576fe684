import { parseSync } from 'oxc-parser';
import type { Rule } from '../rule.ts';
import { typescriptOf } from '../source-tree.ts';

/** A thing has one name everywhere; a default export has as many as it has importers. */
export const noDefaultExports: Rule = {
  name: 'no default exports',
  looksAtLeastAt: 150,
  check(tree) {
    const files = typescriptOf(tree).filter(([path]) => !path.endsWith('.config.ts'));
    const violations = files
      .filter(([path, text]) => hasDefaultExport(path, text))
      .map(([path]) => ({ file: path, problem: 'has a default export: export it by name' }));
    return { lookedAt: files.length, violations };
  },
  broken: [
    example('a default export', 'export default function migrate() {}'),
    example('under another spelling', 'const a = 1;\nexport { a as default };'),
  ],
};

function hasDefaultExport(path: string, text: string): boolean {
  return parseSync(path, text).program.body.some((node) => {
    if (node.type !== 'ExportNamedDeclaration') return node.type === 'ExportDefaultDeclaration';
    return node.specifiers.some(({ exported }) => 'name' in exported && exported.name === 'default');
  });
}

function example(title: string, text: string) {
  return { title, files: { 'packages/db/src/a.ts': text }, in: 'packages/db/src/a.ts' };
}
