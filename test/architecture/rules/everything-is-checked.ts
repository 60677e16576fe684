import type { Rule } from '../rule.ts';
import { type SourceTree, workspaceOf } from '../source-tree.ts';

/**
 * Every TypeScript file is type-checked: its workspace has the script `types` that turbo runs, and its tsconfig includes
 * it. turbo says nothing of a workspace without the script, nor tsc of a folder it was not told of.
 */
const script = '{ "scripts": { "types": "tsc --noEmit" } }';

export const everythingIsChecked: Rule = {
  name: 'everything is checked',
  looksAtLeastAt: 150,
  check(tree) {
    const files = [...tree.keys()].filter((path) => path.endsWith('.ts'));
    const violations = files.flatMap((file) => {
      const problem = problemOf(tree, file);
      return problem === null ? [] : [{ file, problem }];
    });
    return { lookedAt: files.length, violations };
  },
  broken: [
    example('a folder that the tsconfig leaves out', '{ "include": ["src"] }', script, 'packages/db/scripts/a.ts'),
    example('a workspace without the script', '{ "include": ["src"] }', '{}', 'packages/db/src/a.ts'),
    example('a workspace without a tsconfig', undefined, script, 'packages/db/src/a.ts'),
  ],
};

function problemOf(tree: SourceTree, file: string): string | null {
  const workspace = workspaceOf(file);
  if (workspace === undefined) return 'lies in no workspace, so nothing checks it';
  const manifest = JSON.parse(tree.get(`${workspace}/package.json`) ?? '{}') as { scripts?: { types?: string } };
  if (manifest.scripts?.types !== 'tsc --noEmit')
    return `${workspace}/package.json has no script types: "tsc --noEmit"`;
  const config = JSON.parse(tree.get(`${workspace}/tsconfig.json`) ?? '{}') as { include?: string[] };
  const [, top = ''] = file.slice(workspace.length).split('/');
  const isIncluded = (config.include ?? []).some((pattern) => pattern === top || pattern === '**/*.ts');
  return isIncluded ? null : `is not included by ${workspace}/tsconfig.json`;
}

function example(title: string, tsconfig: string | undefined, manifest: string, file: string) {
  const files = { 'packages/db/package.json': manifest, [file]: '' };
  return {
    title,
    files: tsconfig === undefined ? files : { ...files, 'packages/db/tsconfig.json': tsconfig },
    in: file,
  };
}
