import { importsOf, relativeTarget } from '../imports.ts';
import type { Rule, Violation } from '../rule.ts';
import type { SourceTree } from '../source-tree.ts';

/** A kind of thing that is added by one file and one line: what exists and is not listed would silently do nothing. */
interface Registry {
  readonly kind: string;
  readonly registry: string;
  /** The folder or file that must be listed, for a path that is one of them; null for any other file. */
  readonly entryOf: (path: string, text: string) => string | null;
}

const registries: readonly Registry[] = [
  {
    kind: 'provider',
    registry: 'packages/providers/src/registry.ts',
    // What providers are made of has a folder too.
    entryOf: (path) => /^packages\/providers\/src\/(?!declarative\/)[^/]+\//.exec(path)?.[0] ?? null,
  },
  {
    kind: 'handler',
    registry: 'packages/domain/src/registry.ts',
    entryOf: (path, text) => (/^packages\/domain\/src\/[^/]+\//.test(path) && isHandler(path, text) ? path : null),
  },
  {
    kind: 'operator command',
    registry: 'apps/ops/src/registry.ts',
    entryOf: (path, text) =>
      path.startsWith('apps/ops/src/commands/') && takes(path, text, 'OperatorCommand') ? path : null,
  },
  {
    kind: 'architecture rule',
    registry: 'test/architecture/rules.ts',
    entryOf: (path) => (path.startsWith('test/architecture/rules/') ? path : null),
  },
];

/** Every provider, handler, command and rule that exists is listed in its registry. */
export const registered: Rule = {
  name: 'registered',
  looksAtLeastAt: 20,
  check(tree) {
    const findings = registries.map((registry) => findingOf(tree, registry));
    return {
      lookedAt: findings.reduce((sum, { lookedAt }) => sum + lookedAt, 0),
      violations: findings.flatMap(({ violations }) => violations),
    };
  },
  broken: [
    {
      title: 'a provider folder that the registry does not import',
      files: {
        'packages/providers/src/registry.ts': `import { stripe } from './stripe/stripe.ts';`,
        'packages/providers/src/stripe/stripe.ts': '',
        'packages/providers/src/acme/acme.ts': '',
      },
      in: 'packages/providers/src/acme/',
    },
    {
      title: 'a handler file that the registry does not list',
      files: {
        'packages/domain/src/registry.ts': `// export { paid } from './stripe/invoice.paid.ts';`,
        'packages/domain/src/stripe/invoice.paid.ts': '',
      },
      in: 'packages/domain/src/stripe/invoice.paid.ts',
    },
    {
      title: 'a handler without a dot in its event type',
      files: {
        'packages/domain/src/registry.ts': '',
        'packages/domain/src/acme/ping.ts': `import { defineHandler } from '../define-handler.ts';`,
      },
      in: 'packages/domain/src/acme/ping.ts',
    },
    {
      title: 'a command file that the registry does not import',
      files: { 'apps/ops/src/registry.ts': '', 'apps/ops/src/commands/replay.ts': command() },
      in: 'apps/ops/src/commands/replay.ts',
    },
    {
      title: 'no registry at all',
      files: { 'apps/ops/src/commands/replay.ts': command() },
      in: 'apps/ops/src/commands/replay.ts',
    },
  ],
};

function findingOf(tree: SourceTree, { kind, registry, entryOf }: Registry) {
  const listed = importsOf(registry, tree.get(registry) ?? '').map(({ specifier }) =>
    relativeTarget(registry, specifier),
  );
  const entries = new Set([...tree].flatMap(([path, text]) => entryOf(path, text) ?? []));
  const violations: Violation[] = [...entries]
    .filter((entry) => !listed.some((target) => target?.startsWith(entry)))
    .map((entry) => ({ file: entry, problem: `is a ${kind} that ${registry} does not list` }));
  return { lookedAt: entries.size, violations };
}

function isHandler(path: string, text: string): boolean {
  return /\/[^/]+\.[^/]+\.ts$/.test(path) || takes(path, text, 'defineHandler');
}

function takes(path: string, text: string, name: string): boolean {
  return importsOf(path, text).some(({ names }) => names.includes(name));
}

function command() {
  return `import type { OperatorCommand } from '../operator-command.ts';`;
}
