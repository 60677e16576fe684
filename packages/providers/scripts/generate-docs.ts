import { readFileSync, writeFileSync } from 'node:fs';
import { renderProvidersDoc } from '../src/providers-doc.ts';

// Writes docs/providers.md from the registry; with --check only compares, and exits 1 when it is stale.
const file = new URL('../../../docs/providers.md', import.meta.url);
const text = renderProvidersDoc();
if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
} else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('docs/providers.md is stale. Run "npm run generate" and commit the result.\n');
  process.exitCode = 1;
}
