import { dependencyTable } from '../dependency-table.ts';
import { computed, type Import, importsOf, relativeTarget } from '../imports.ts';
import type { Rule } from '../rule.ts';
import { sourcesOf, workspaceOf } from '../source-tree.ts';

/** Who may import whom, and that nobody reaches past another package's index. */
export const dependencyDirection: Rule = {
  name: 'dependency direction',
  looksAtLeastAt: 100,
  check(tree) {
    const imports = sourcesOf(tree).flatMap(([path, text]) =>
      importsOf(path, text).map((imported) => ({ path, imported })),
    );
    const violations = imports.flatMap(({ path, imported }) => {
      const problem = problemOf(path, imported);
      return problem === null ? [] : [{ file: path, problem }];
    });
    return { lookedAt: imports.length, violations };
  },
  broken: [
    example('a package imports upwards', 'packages/kernel/src/a.ts', `import { openDatabase } from '@mailroom/db';`),
    example('the ingestor imports the domain', 'apps/ingest/src/a.ts', `export { handlers } from '@mailroom/domain';`),
    example('by a type only', 'packages/db/src/a.ts', `import type { Receiver } from '@mailroom/inbox';`),
    example('by import()', 'packages/inbox/src/a.ts', `await import('@mailroom/outbox');`),
    example('by a computed import()', 'packages/inbox/src/a.ts', `await import(name);`),
    example('an app imports an app', 'apps/ops/src/a.ts', `import '@mailroom/worker';`),
    example('past the index', 'apps/worker/src/a.ts', `import { claim } from '@mailroom/inbox/src/claim.ts';`),
    example('by a relative path', 'apps/ops/src/a.ts', `import { claim } from '../../../packages/inbox/src/claim.ts';`),
    example('more than it may', 'apps/worker/src/a.ts', `import { startLocalDatabase } from '@mailroom/localdb';`),
    example('a workspace nobody placed', 'packages/billing/src/a.ts', `import { done } from '@mailroom/kernel';`),
  ],
};

function problemOf(path: string, { specifier, names }: Import): string | null {
  const workspace = workspaceOf(path) ?? path;
  const allowed = dependencyTable[workspace];
  if (!allowed) return `${workspace} is not in test/architecture/dependency-table.ts: say there what it may import`;
  if (specifier === computed) return 'imports a computed path, which no rule can follow';

  const target = relativeTarget(path, specifier);
  if (target !== null) {
    return target.startsWith(`${workspace}/src/`) ? null : `imports ${specifier}, which lies outside of its own src`;
  }
  if (!specifier.startsWith('@mailroom/')) return null;

  const [name = '', ...rest] = specifier.slice('@mailroom/'.length).split('/');
  if (!allowed.mailroom.includes(name)) return `${workspace} may not import @mailroom/${name}`;
  if (rest.length > 0) return `imports ${specifier}: only what the index of @mailroom/${name} exports is public`;
  const only = allowed.only?.[name];
  const tooMuch = only ? names.filter((taken) => !only.includes(taken)) : [];
  if (tooMuch.length > 0)
    return `${workspace} may import only ${only?.join(', ')} from @mailroom/${name}, not ${tooMuch.join(', ')}`;
  return null;
}

function example(title: string, path: string, text: string) {
  return { title, files: { [path]: text }, in: path };
}
