import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';

/** One import, re-export or `import()` of a file. */
export interface Import {
  readonly specifier: string;
  /** The names taken; `*` for all of them or the default, none for a bare import. */
  readonly names: readonly string[];
  /** It is gone when the program runs: `import type`. */
  readonly typeOnly: boolean;
}

/** All imports of a file, by a real parser: TypeScript 7 has no JavaScript interface, and a pattern would read comments too. */
export function importsOf(path: string, text: string): Import[] {
  const { module, errors } = parseSync(path, text);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  const imports = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    names: entries.map(({ importName }) => importName.name ?? '*'),
    typeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
  }));
  const reexports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, importName }) =>
      moduleRequest ? [{ specifier: moduleRequest.value, names: [importName.name ?? '*'], typeOnly: false }] : [],
    ),
  );
  const dynamic = module.dynamicImports.map(({ moduleRequest }) => {
    const source = text.slice(moduleRequest.start, moduleRequest.end);
    return { specifier: /^['"`]([^'"`$]+)['"`]$/.exec(source)?.[1] ?? computed, names: ['*'], typeOnly: false };
  });
  return [...imports, ...reexports, ...dynamic];
}

/** Stands for the specifier of an `import()` that is only known when it runs. */
export const computed = '(computed)';

/** The path a relative specifier means, or null for the name of a package. */
export function relativeTarget(path: string, specifier: string): string | null {
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : null;
}

/** `@mailroom/db` of `@mailroom/db/x`, `node:fs` of `node:fs/promises`, `hono` of `hono/http-exception`. */
export function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}
