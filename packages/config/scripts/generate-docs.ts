import { readFileSync, writeFileSync } from 'node:fs';
import { renderConfigurationDoc } from '../src/configuration-doc.ts';

// Writes docs/configuration.md from the tables; with --check only compares, and exits 1 when it is stale.
const file = new URL('../../../docs/configuration.md', import.meta.url);
const text = renderConfigurationDoc();
if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
} else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('docs/configuration.md is stale. Run "npm run generate" and commit the result.\n');
  process.exitCode = 1;
}
