import { readFileSync, writeFileSync } from 'node:fs';
import { renderMetricsDoc } from '../src/metrics-doc.ts';

// Writes docs/metrics.md from the tables; with --check only compares, and exits 1 when it is stale.
const file = new URL('../../../docs/metrics.md', import.meta.url);
const text = renderMetricsDoc();
if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
} else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('docs/metrics.md is stale. Run "npm run generate" and commit the result.\n');
  process.exitCode = 1;
}
