import { CodedError } from '@mailroom/kernel';
import { findProvider, providers } from '@mailroom/providers';
import { begunSample } from './begun-sample.ts';
import { type Change, insertAfter } from './change.ts';
import { identifierOf, quoted } from './names.ts';

/**
 * What a handler is begun with: its file, a test that holds it, its line in the registry, and a sample where there is none.
 * `registry` is the text of the registry as it is, which says which names are taken.
 */
export function newHandler(providerName: string, eventType: string, registry: string): readonly Change[] {
  const provider = findProvider(providerName);
  if (!provider) {
    const names = providers.map(({ name }) => name).join(', ');
    const begin = `begin one: npm run new -- provider ${providerName}`;
    throw new CodedError('unknown_provider', `no provider ${providerName}; there are ${names}; or ${begin}`);
  }
  if (!/^[A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9][\w.-]*)*$/.test(eventType)) {
    throw new CodedError('unusable_name', `${eventType} cannot be the name of a file`);
  }
  const short = identifierOf(eventType);
  const name = registry.includes(`{ ${short} }`) ? identifierOf(`${providerName}.${eventType}`) : short;
  const depth = '../'.repeat(eventType.split('/').length);
  const path = `${providerName}/${eventType}`;
  const known = Object.entries(provider.samples).find(([, sample]) => sample.eventType === eventType)?.[0];
  return [
    { path: `packages/domain/src/${path}.ts`, create: handlerSource(providerName, eventType, name, depth) },
    {
      path: `test/domain/${path}.test.ts`,
      create: testSource(providerName, known ?? eventType, { path, name, depth }),
    },
    {
      path: 'packages/domain/src/registry.ts',
      edit: (text) => `${text.trimEnd()}\nexport { ${name} } from './${path}.ts';\n`,
    },
    ...(known === undefined ? sampleChanges(providerName, eventType, name, begunSample(provider, eventType)) : []),
  ];
}

function handlerSource(provider: string, eventType: string, name: string, depth: string): string {
  const schema = provider === 'stripe' ? '' : '  payload: z.looseObject({}),\n';
  const zod = provider === 'stripe' ? '' : "import { z } from 'zod';\n";
  return `${zod}import { defineHandler } from '${depth}define-handler.ts';

/** What ${eventType} of ${provider} does. See docs/handlers.md. */
export const ${name} = defineHandler({
  provider: ${quoted(provider)},
  eventType: ${quoted(eventType)},
  // While this line is here, workers park the events and take them all up once it is gone.
  parked: 'not written yet',
${schema}  handle() {
    // Write through \`tx\` of what you are given, and return \`done\` of @mailroom/kernel.
    throw new Error(${quoted(`the handler of ${eventType} is not written yet`)});
  },
});
`;
}

function testSource(
  provider: string,
  sample: string,
  { path, name, depth }: { readonly path: string; readonly name: string; readonly depth: string },
): string {
  return `import { describeHandler, sampleDelivery } from '@mailroom/handler-kit';
import { ${name} } from '${depth}../../packages/domain/src/${path}.ts';

describeHandler({
  // Add the handlers of what happens before and after it to the same object.
  handlers: [${name}],
  // And samples of that, in the order in which it happens.
  deliveries: [sampleDelivery(${quoted(provider)}, ${quoted(sample)})],
  // The tables that the handlers write.
  tables: [],
});
`;
}

function sampleChanges(provider: string, eventType: string, name: string, sample: string): readonly Change[] {
  const folder = `packages/providers/src/${provider}`;
  const file = `sample-${eventType.replaceAll('/', '-')}.ts`;
  const constant = `sample${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return [
    {
      path: `${folder}/${file}`,
      create: `import type { Sample } from '../provider.ts';

/** Begun from the nearest sample. Make it what ${provider} really sends. */
export const ${constant}: Sample = ${sample};
`,
    },
    {
      path: `${folder}/samples.ts`,
      edit: (text) =>
        `import { ${constant} } from './${file}';\n${insertAfter(text, /^export const samples\b.*= \{$/, `${quoted(eventType)}: ${constant},`)}`,
    },
  ];
}
