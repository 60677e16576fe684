import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderConfigurationDoc } from '../src/configuration-doc.ts';
import { load, stripeSecret, workingDirectory } from './support.ts';

const found = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');

test('docs/configuration.md says what the tables say', () => {
  expect(found, 'run "npm run generate"').toBe(renderConfigurationDoc());
});

test('the example of docs/configuration.md is accepted', () => {
  const example = /```json\n([\s\S]+?)```/.exec(found)?.[1] ?? '';
  const cwd = workingDirectory({ key: `${stripeSecret}2\n` });
  const local = workingDirectory({ 'mailroom.endpoints.json': example.replace('/run/secrets/stripe', `${cwd}/key`) });
  expect(load('ingest', { STRIPE_WEBHOOK_SECRET: stripeSecret }, local).endpoints[0]?.secrets).toHaveLength(2);
});
