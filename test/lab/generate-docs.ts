import { readFileSync, writeFileSync } from 'node:fs';
import { labDocument } from './lab-document.ts';
import { patterns } from './registry.ts';

// Writes docs/lab.md from the registry; with --check only compares, and exits 1 when it is stale.
const file = new URL('../../docs/lab.md', import.meta.url);
const text = labDocument(patterns);
if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
} else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('docs/lab.md is stale. Run "npm run generate" and commit the result.\n');
  process.exitCode = 1;
}
