import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Texts by path from the repository's root, with forward slashes. A rule sees nothing else, so an example can be in memory. */
export type SourceTree = ReadonlyMap<string, string>;

/** Everything the rules look at: TypeScript, manifests, migrations and decisions. */
export function readSourceTree(root: string): SourceTree {
  const tree = new Map<string, string>();
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
      if (!entry.isFile() || outside.test(path) || !looksAt.test(path)) continue;
      tree.set(path, readFileSync(join(root, path), 'utf8'));
    }
  }
  return tree;
}

/**
 * `packages/db` of `packages/db/src/migrate.ts`, `test` of `test/inbox/receive.test.ts`; undefined at the root. `test/bench` is a
 * workspace of its own.
 */
export function workspaceOf(path: string): string | undefined {
  return /^(?:(?:packages|apps)\/[^/]+|test\/bench|test)(?=\/)/.exec(path)?.[0];
}

/** The TypeScript of the tree, without what is generated. */
export function typescriptOf(tree: SourceTree): [path: string, text: string][] {
  return [...tree].filter(([path]) => path.endsWith('.ts') && !path.endsWith('/generated.ts'));
}

/** The TypeScript that runs in production. */
export function sourcesOf(tree: SourceTree): [path: string, text: string][] {
  return typescriptOf(tree).filter(([path]) => /^(packages|apps)\/[^/]+\/src\//.test(path));
}

const folders = ['packages', 'apps', 'test', 'migrations', 'docs/adr'];
const outside = /(^|\/)(node_modules|coverage|\.[^/]+)\//;
const looksAt = /\.ts$|(^|\/)(package|tsconfig)\.json$|^migrations\/.*\.sql$|^docs\/adr\/.*\.md$/;
