import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@mailroom/kernel';
import { apply, type Change } from './change.ts';
import { newHandler } from './new-handler.ts';
import { newProvider } from './new-provider.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const usage = `Begins a handler or a provider: its files, a sample, a test, its line in the registry. All checks pass as it stands.

  npm run new -- handler PROVIDER EVENT_TYPE    for example: handler stripe invoice.marked_uncollectible
  npm run new -- provider NAME                  for example: provider acme
`;

try {
  process.exitCode = await begin(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}

async function begin([kind, name, eventType, ...more]: readonly string[]): Promise<number> {
  if (kind === 'handler' && name && eventType && more.length === 0) {
    const registry = readFileSync(join(root, 'packages/domain/src/registry.ts'), 'utf8');
    return await write(newHandler(name, eventType, registry), [
      `write packages/domain/src/${name}/${eventType}.ts and take its line \`parked\` away (docs/handlers.md)`,
      `npx vitest run test/domain/${name}/${eventType}.test.ts   (docs/testing-handlers.md)`,
    ]);
  }
  if (kind === 'provider' && name && !eventType) {
    const end = await write(newProvider(name), [
      `make packages/providers/src/${name}/${name}.ts and samples.ts what ${name} documents`,
      'npm run generate && npx vitest run packages/providers',
      `npm run new -- handler ${name} order.created`,
    ]);
    run('packages/providers/scripts/generate-docs.ts');
    return end;
  }
  process.stderr.write(usage);
  return 2;
}

async function write(changes: readonly Change[], next: readonly string[]): Promise<number> {
  await apply(root, changes);
  const paths = changes.map(({ path }) => path);
  run('node_modules/@biomejs/biome/bin/biome', 'check', '--write', '--log-level=error', ...paths);
  const made = changes.map((change) => `${'edit' in change ? 'changed' : 'made   '}  ${change.path}`);
  process.stdout.write(`${[...made, '', 'Next:', ...next.map((step) => `  ${step}`)].join('\n')}\n`);
  return 0;
}

function run(script: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'pipe' });
}
