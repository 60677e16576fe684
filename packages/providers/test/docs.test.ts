import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { genericOptions } from '../src/generic-hmac/options.ts';
import { optionsInWords } from '../src/generic-hmac/options-in-words.ts';
import { renderProvidersDoc } from '../src/providers-doc.ts';
import { findProvider, providers } from '../src/registry.ts';

const found = readFileSync(new URL('../../../docs/providers.md', import.meta.url), 'utf8');

test('docs/providers.md says what the registry says', () => {
  expect(found, 'run "npm run generate"').toBe(renderProvidersDoc());
});

test('it names every provider in each of its tables', () => {
  for (const { name } of providers) expect(found.split(`\n| \`${name}\` |`).length - 1).toBe(3);
});

test('its examples are accepted as they stand', () => {
  const examples = [...found.matchAll(/```json\n([\s\S]+?)```/g)].map(([, text = '']) => JSON.parse(text) as Entry);
  expect(examples.length).toBe(providers.filter(({ facts }) => facts.options !== undefined).length);
  for (const { provider, scheme = provider, options } of examples) {
    expect(findProvider(scheme)?.configure(options)).toMatchObject({ outcome: 'configured' });
  }
});

test('it describes every option of generic-hmac, and none that there is not', () => {
  const names = namesOf(z.toJSONSchema(genericOptions, { io: 'input' }));
  const ofEveryHandshake = names.filter((name) => !/^handshakes\[\]\.(name|when)$/.test(name));
  expect(Object.keys(optionsInWords).toSorted()).toEqual(ofEveryHandshake.toSorted());
});

interface Entry {
  readonly provider: string;
  readonly scheme?: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The names of a JSON Schema's properties, those of nested objects after a dot. A list of objects is named itself too. */
function namesOf({ properties = {} }: z.core.JSONSchema.BaseSchema, before = ''): string[] {
  return Object.entries(properties).flatMap(([key, value]) => {
    const name = before + key;
    const schema = value as z.core.JSONSchema.BaseSchema;
    if (schema.type === 'object') return namesOf(schema, `${name}.`);
    if (schema.type !== 'array') return [name];
    return [name, ...namesOf(schema.items as z.core.JSONSchema.BaseSchema, `${name}[].`)];
  });
}
