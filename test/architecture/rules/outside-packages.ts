import { importsOf, packageOf } from '../imports.ts';
import type { Rule } from '../rule.ts';
import { sourcesOf, workspaceOf } from '../source-tree.ts';

const network = ['node:net', 'node:http', 'node:https', 'node:http2', 'node:tls', 'node:dns', 'node:dgram'];
const machine = ['node:fs', 'node:child_process', 'node:worker_threads', 'node:cluster'];
const servers = ['hono', '@hono/node-server'];

const refused: Readonly<Record<string, readonly string[]>> = {
  // Business code sees a transaction and an event; everything else would tie it to how they came.
  'packages/domain': [...servers, 'pg', 'stripe', 'pino', 'prom-client', ...network, ...machine],
  // Pure functions over bytes.
  'packages/providers': [...servers, 'pg', 'kysely', 'stripe', 'pino', 'prom-client', ...network, ...machine],
  'packages/inbox': [...servers, 'stripe', 'pino', 'prom-client', ...network, ...machine],
  'packages/outbox': [...servers, 'stripe', 'pino', 'prom-client', ...machine],
  'packages/sinks': [...servers, 'pg', 'kysely', 'stripe', 'pino', 'prom-client', ...machine],
  'apps/worker': servers,
};

// Types that describe what arrives. They are gone when the program runs, so nothing of the package can be called.
const typesAllowed: Readonly<Record<string, readonly string[]>> = { 'packages/domain': ['stripe'] };

/** Which packages from outside a workspace must not see, types included where they are not allowed above. */
export const outsidePackages: Rule = {
  name: 'outside packages',
  looksAtLeastAt: 100,
  check(tree) {
    const sources = sourcesOf(tree);
    const violations = sources.flatMap(([path, text]) =>
      importsOf(path, text).flatMap(({ specifier, typeOnly }) => {
        const problem = problemOf(workspaceOf(path) ?? '', packageOf(specifier), typeOnly);
        return problem === null ? [] : [{ file: path, problem }];
      }),
    );
    return { lookedAt: sources.length, violations };
  },
  broken: [
    example('the domain sees HTTP', 'packages/domain/src/a.ts', `import { Hono } from 'hono/tiny';`),
    example('the domain sees the driver', 'packages/domain/src/stripe/a.ts', `import type { Pool } from 'pg';`),
    example('the domain calls a provider', 'packages/domain/src/stripe/a.ts', `import { Stripe } from 'stripe';`),
    example('or could', 'packages/domain/src/a.ts', `import { type Event, Stripe } from 'stripe';`),
    example('a provider reads files', 'packages/providers/src/acme/a.ts', `import { open } from 'node:fs/promises';`),
    example('a provider calls out', 'packages/providers/src/acme/a.ts', `await import('node:https');`),
    example('builtin under its old name', 'packages/providers/src/acme/a.ts', `import net from 'net';`),
    example('the kernel needs a package', 'packages/kernel/src/a.ts', `import { z } from 'zod';`),
  ],
};

function problemOf(workspace: string, name: string, typeOnly: boolean): string | null {
  if (workspace === 'packages/kernel' && !name.startsWith('.') && !name.startsWith('node:')) {
    return `the kernel imports nothing, not ${name}`;
  }
  if (typeOnly && typesAllowed[workspace]?.includes(name)) return null;
  const list = refused[workspace] ?? [];
  return list.includes(name) || list.includes(`node:${name}`) ? `${workspace} may not import ${name}` : null;
}

function example(title: string, path: string, text: string) {
  return { title, files: { [path]: text }, in: path };
}
