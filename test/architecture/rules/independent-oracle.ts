import { importsOf, relativeTarget } from '../imports.ts';
import type { Rule } from '../rule.ts';
import type { SourceTree } from '../source-tree.ts';

const oracle = 'test/traffic/expected.ts';
/** Of the storm and of the fault bench. Each with the files that it takes from its own folder. */
const checks = ['check', 'check-left-over', 'check-messages'].map((name) => `test/failure/checker/${name}.ts`);
const oracles = [oracle, ...checks];

/** What the database is compared with is computed by code that imports nothing of Mailroom, else a fault would agree with itself. */
export const independentOracle: Rule = {
  name: 'independent oracle',
  looksAtLeastAt: 3,
  check(tree) {
    const files = oracles.flatMap((from) => closureOf(tree, from));
    const violations = files.flatMap((file) =>
      importsOf(file, tree.get(file) ?? '')
        .filter(({ specifier }) => !isIndependent(file, specifier))
        .map(({ specifier }) => ({ file, problem: `is part of the oracle and may not import ${specifier}` })),
    );
    return { lookedAt: files.length, violations };
  },
  broken: [
    { title: 'a package', files: { [oracle]: `import { done } from '@mailroom/kernel';` }, in: oracle },
    {
      title: 'a package by way of another file',
      files: { [oracle]: `import './books.ts';`, 'test/traffic/books.ts': `import { z } from '@mailroom/domain';` },
      in: 'test/traffic/books.ts',
    },
    {
      title: 'a package in the checker of the fault bench',
      files: {
        'test/failure/checker/check.ts': `import './model.ts';`,
        'test/failure/checker/model.ts': `import { invoiceStatuses } from '@mailroom/domain';`,
      },
      in: 'test/failure/checker/model.ts',
    },
    { title: 'a path into a package', files: { [oracle]: `import '../../packages/db/src/a.ts';` }, in: oracle },
  ],
};

function closureOf(tree: SourceTree, from: string): string[] {
  const seen = new Set([from]);
  // A Set hands out what is added while it is walked.
  for (const file of seen) {
    for (const { specifier } of importsOf(file, tree.get(file) ?? '')) {
      const target = relativeTarget(file, specifier);
      if (target?.startsWith(folderOf(from))) seen.add(target);
    }
  }
  return [...seen].filter((file) => tree.has(file));
}

function isIndependent(file: string, specifier: string): boolean {
  const target = relativeTarget(file, specifier);
  return target === null ? !specifier.startsWith('@mailroom/') : target.startsWith(folderOf(file));
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/') + 1);
}
