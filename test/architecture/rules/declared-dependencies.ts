import { importsOf, packageOf } from '../imports.ts';
import type { Rule, Violation } from '../rule.ts';
import { type SourceTree, sourcesOf, typescriptOf, workspaceOf } from '../source-tree.ts';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** A package.json names exactly those packages of Mailroom that the workspace imports: no fewer, no more. */
export const declaredDependencies: Rule = {
  name: 'declared dependencies',
  looksAtLeastAt: 13,
  check(tree) {
    const manifests = [...tree].filter(([path]) => path.endsWith('/package.json'));
    return { lookedAt: manifests.length, violations: manifests.flatMap(([path, text]) => problems(tree, path, text)) };
  },
  broken: [
    {
      title: 'an import that is not declared',
      files: {
        'packages/db/package.json': '{ "name": "@mailroom/db" }',
        'packages/db/src/a.ts': `import { done } from '@mailroom/kernel';`,
      },
      in: 'packages/db/package.json',
    },
    {
      title: 'an import of production code that is declared for development only',
      files: {
        'packages/db/package.json': '{ "name": "@mailroom/db", "devDependencies": { "@mailroom/kernel": "0.1.0" } }',
        'packages/db/src/a.ts': `import { done } from '@mailroom/kernel';`,
      },
      in: 'packages/db/package.json',
    },
    {
      title: 'a declaration that nothing imports',
      files: {
        'packages/db/package.json': '{ "name": "@mailroom/db", "dependencies": { "@mailroom/kernel": "0.1.0" } }',
        'packages/db/src/a.ts': `// import { done } from '@mailroom/kernel';`,
      },
      in: 'packages/db/package.json',
    },
    {
      title: 'a name that is not the folder',
      files: { 'packages/db/package.json': '{ "name": "@mailroom/database" }' },
      in: 'packages/db/package.json',
    },
  ],
};

function problems(tree: SourceTree, path: string, text: string): Violation[] {
  const workspace = workspaceOf(path) ?? '';
  const manifest = JSON.parse(text) as Manifest;
  const declared = Object.keys(manifest.dependencies ?? {}).filter(isOurs);
  const declaredForTests = Object.keys(manifest.devDependencies ?? {}).filter(isOurs);
  const ofProduction = workspace === 'test' ? [] : imported(sourcesOf(tree), workspace);
  const ofAll = imported(typescriptOf(tree), workspace).filter((name) => name !== manifest.name);

  const folder = workspace.split('/').at(-1) ?? '';
  const misnamed =
    manifest.name === `@mailroom/${folder}` ? [] : [`is named ${manifest.name}, not @mailroom/${folder}`];
  const missing = [
    ...ofProduction.filter((name) => !declared.includes(name)),
    ...ofAll.filter((name) => !declared.includes(name) && !declaredForTests.includes(name)),
  ].map((name) => `does not declare ${name}, which ${workspace} imports`);
  const unused = [...declared, ...declaredForTests]
    .filter((name) => !ofAll.includes(name))
    .map((name) => `declares ${name}, which nothing in ${workspace} imports`);
  return [...new Set([...misnamed, ...missing, ...unused])].map((problem) => ({ file: path, problem }));
}

function imported(files: readonly [path: string, text: string][], workspace: string): string[] {
  const own = files.filter(([path]) => workspaceOf(path) === workspace);
  const names = own.flatMap(([path, text]) => importsOf(path, text).map(({ specifier }) => packageOf(specifier)));
  return [...new Set(names.filter(isOurs))];
}

function isOurs(name: string): boolean {
  return name.startsWith('@mailroom/');
}
