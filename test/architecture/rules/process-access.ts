import { type Node, parseSync, Visitor } from 'oxc-parser';
import { importsOf } from '../imports.ts';
import type { Rule } from '../rule.ts';
import { sourcesOf } from '../source-tree.ts';

// Facts about the machine are free; what steers or ends the process, or changes with its environment, is the app's.
const theApps = new Set(['env', 'exit', 'exitCode', 'abort', 'on', 'once', 'addListener', 'argv', 'chdir', 'stdin']);

/** Only apps read the environment, install signal handlers or exit; a package is told by its caller. */
export const processAccess: Rule = {
  name: 'process access',
  looksAtLeastAt: 50,
  check(tree) {
    const sources = sourcesOf(tree).filter(([path]) => path.startsWith('packages/'));
    const violations = sources.flatMap(([path, text]) =>
      usesOf(path, text).map((use) => ({ file: path, problem: `only apps may use ${use}: take it as an argument` })),
    );
    return { lookedAt: sources.length, violations };
  },
  broken: [
    example('reads the environment', `const url = process.env['DATABASE_URL'];`),
    example('reads it by destructuring', `const { env } = process;`),
    example('reads it by brackets', `const url = process['env'];`),
    example('reads it by globalThis', `const url = globalThis.process.env;`),
    example('imports it', `import { env } from 'node:process';`),
    example('imports all of it', `import process from 'node:process';`),
    example('exits', `function stop() { process.exit(1); }`),
    example('sets the exit code', `process.exitCode = 1;`),
    example('installs a signal handler', `process.on('SIGTERM', stop);`),
    example('uses it beside a parameter of that name', `const run = (process) => process.exit(0);\nprocess.exit(1);`),
  ],
};

function usesOf(path: string, text: string): string[] {
  const uses = importsOf(path, text)
    .filter(({ specifier, names }) => /^(node:)?process$/.test(specifier) && names.some(isTheApps))
    .map(({ specifier }) => `the import of ${specifier}`);
  // Inside a function that is handed a `process`, that is the one it means.
  let handedIn = 0;
  const enter = (node: Callable) => void (handedIn += takesProcess(node) ? 1 : 0);
  const leave = (node: Callable) => void (handedIn -= takesProcess(node) ? 1 : 0);
  new Visitor({
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
    MemberExpression({ object, property, computed: isComputed }) {
      if (handedIn > 0 || !isProcess(object)) return;
      const name = property.type === 'Identifier' && !isComputed ? property.name : literal(property);
      if (isTheApps(name)) uses.push(`process.${name}`);
    },
    VariableDeclarator({ id, init }) {
      if (handedIn > 0 || !init || !isProcess(init)) return;
      const keys =
        id.type === 'ObjectPattern' ? id.properties.flatMap((part) => ('key' in part ? [part.key] : [])) : [];
      const names = keys.map((key) => (key.type === 'Identifier' ? key.name : literal(key)));
      if (keys.length === 0 || names.some(isTheApps)) uses.push(`process.{ ${names.join(', ')} }`);
    },
  }).visit(parseSync(path, text).program);
  return uses;
}

interface Callable {
  readonly params: readonly Node[];
}

function takesProcess({ params }: Callable): boolean {
  return params.some((param) => named(param, 'process'));
}

function isProcess(node: Node): boolean {
  if (node.type === 'MemberExpression') return named(node.object, 'globalThis') && named(node.property, 'process');
  return named(node, 'process');
}

function named(node: Node, name: string): boolean {
  return node.type === 'Identifier' && 'name' in node && node.name === name;
}

function literal(node: object): string {
  return 'value' in node ? String(node.value) : '*';
}

function isTheApps(name: string): boolean {
  return theApps.has(name) || name === '*';
}

function example(title: string, text: string) {
  return { title, files: { 'packages/db/src/a.ts': text }, in: 'packages/db/src/a.ts' };
}
