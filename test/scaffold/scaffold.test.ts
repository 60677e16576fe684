import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { copyRepository, type RepositoryCopy } from '../support/repository-copy.ts';

let copy: RepositoryCopy;
beforeAll(async () => {
  copy = await copyRepository();
});
afterAll(() => copy.remove());

describe('npm run new', { timeout: 300_000 }, () => {
  test('begins handlers and a provider that pass every check and their tests as they stand', async () => {
    const made = [
      ...(await begin('handler', 'stripe', 'invoice.marked_uncollectible')),
      ...(await begin('handler', 'stripe', 'payment_intent.succeeded')),
      ...(await begin('handler', 'shopify', 'orders/edited')),
      ...(await begin('provider', 'acme')),
      ...(await begin('handler', 'acme', 'order.created')),
      ...(await begin('handler', 'acme', 'orders.create')),
    ];
    expect(made).toContain('packages/domain/src/stripe/invoice.marked_uncollectible.ts');
    expect(made).toContain('test/domain/shopify/orders/edited.test.ts');
    expect(made).toContain('packages/providers/src/acme/sample-orders.create.ts');
    expect(await readFile(join(copy.root, 'docs/providers.md'), 'utf8')).toContain('| `acme` | Acme |');

    await run('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', ...made);
    await run('node_modules/oxlint/bin/oxlint', ...made);
    for (const workspace of ['packages/providers', 'packages/domain', 'test']) {
      await run('node_modules/typescript/bin/tsc', '--noEmit', '--project', workspace);
    }
    const tests = made.filter((path) => path.endsWith('.test.ts'));
    expect(tests).toHaveLength(5);
    const report = await vitest(...tests, 'test/architecture', 'packages/providers/test/contract.test.ts');
    expect(report).toMatch(/Test Files {2}7 passed \(7\)/);
  });

  test('leads to a handler in one file, which the kit proves', async () => {
    const path = 'packages/domain/src/stripe/invoice.marked_uncollectible.ts';
    await writeFile(join(copy.root, path), written);
    const testPath = 'test/domain/stripe/invoice.marked_uncollectible.test.ts';
    const begun = await readFile(join(copy.root, testPath), 'utf8');
    await writeFile(
      join(copy.root, testPath),
      begun.replace('tables: []', "tables: ['invoices', 'ledger_entries'], randomOrders: 2"),
    );
    expect(await vitest(testPath)).toMatch(/Tests {2}11 passed \(11\)/);
    // It is registered, so the suite that loops over all handlers holds it too.
    const contract = await vitest('test/domain/handlers.contract.test.ts', '-t', 'stripe/invoice.marked_uncollectible');
    expect(contract).toMatch(/Tests {2}\d+ passed/);
  });

  test('overwrites nothing, and says what is wrong', async () => {
    await expect(begin('handler', 'stripe', 'invoice.paid')).rejects.toThrow('is there already');
    await expect(begin('handler', 'nobody', 'a.b')).rejects.toThrow('begin one: npm run new -- provider nobody');
    await expect(begin('handler', 'stripe', '../b')).rejects.toThrow('cannot be the name of a file');
    await expect(begin('handler', 'xero', 'contact.update')).rejects.toThrow('packages/providers/src/xero/samples.ts');
    await expect(begin('provider', 'stripe')).rejects.toThrow('is there already');
    await expect(begin('provider', 'Acme')).rejects.toThrow('small letters');
    await expect(begin('handler')).rejects.toThrow('npm run new -- handler PROVIDER EVENT_TYPE');
  });
});

/** What somebody writes into the file that was made. */
const written = `import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyInvoices } from './apply-invoice.ts';
import { invoiceEvent } from './read-invoice.ts';

/** Nobody expects the money any more. */
export const invoiceMarkedUncollectible = defineHandler({
  provider: 'stripe',
  eventType: 'invoice.marked_uncollectible',
  payload: invoiceEvent,
  onTie: 'keep',
  ownRowsOnly: true,
  async handleMany(tx, events) {
    await applyInvoices(tx, events);
    return events.map(() => done);
  },
});
`;

/** Answers the files that were made or changed. */
async function begin(...args: readonly string[]): Promise<readonly string[]> {
  const output = await run('apps/scaffold/src/main.ts', ...args);
  return output.split('\n').flatMap((line) => /^(?:made|changed) +(\S+)$/.exec(line)?.[1] ?? []);
}

function vitest(...args: readonly string[]): Promise<string> {
  return run('node_modules/vitest/vitest.mjs', 'run', ...args);
}

async function run(script: string, ...args: readonly string[]): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  // The copy's own run makes a template of its own on the same server.
  const env = { PATH, HOME, NO_COLOR: '1', TEST_DATABASE_URL: inject('testServer').adminUrl };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [join(copy.root, script), ...args], {
      cwd: copy.root,
      env,
      maxBuffer: 64_000_000,
    });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${script} ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error });
  }
}
