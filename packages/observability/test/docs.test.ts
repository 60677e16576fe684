import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderMetricsDoc } from '../src/metrics-doc.ts';

test('docs/metrics.md says what the tables say', () => {
  const found = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
  expect(found, 'run "npm run generate"').toBe(renderMetricsDoc());
});
