import { CodedError } from '@mailroom/kernel';
import { findProvider } from '@mailroom/providers';
import { type Change, insertAfter } from './change.ts';
import { identifierOf, quoted, titleOf } from './names.ts';

/** What a provider is begun with: an HMAC over the body, one sample, and its line in the registry. */
export function newProvider(name: string): readonly Change[] {
  if (!/^[a-z][a-z0-9-]{0,62}$/.test(name)) {
    throw new CodedError('unusable_name', `${name}: a provider's name is small letters, digits and dashes`);
  }
  if (findProvider(name)) throw new CodedError('exists_already', `the provider ${name} is there already`);
  const identifier = identifierOf(name);
  const folder = `packages/providers/src/${name}`;
  return [
    { path: `${folder}/${name}.ts`, create: providerSource(name, identifier) },
    { path: `${folder}/samples.ts`, create: samplesSource(name) },
    {
      path: 'packages/providers/src/registry.ts',
      edit: (text) =>
        `import { ${identifier} } from './${name}/${name}.ts';\n${insertAfter(text, /^export const providers\b.*= \[$/, `  ${identifier},`)}`,
    },
  ];
}

function providerSource(name: string, identifier: string): string {
  const title = titleOf(name);
  return `import { withoutOptions } from '../configure.ts';
import { hmacScheme } from '../declarative/hmac-scheme.ts';
import type { Provider } from '../provider.ts';
import { chosenSecretProblem } from '../secret-form.ts';
import { samples } from './samples.ts';

/**
 * ${title}. Begun as the commonest scheme there is: make each line what ${title} documents, and say where it is documented. What
 * an HMAC over the body cannot say is code: see the neighbours.
 */
export const ${identifier}: Provider = {
  name: ${quoted(name)},
  title: ${quoted(title)},
  facts: {
    retryWindowMs: null,
    replayWindowMs: null,
    answerLimitMs: null,
    batch: null,
    signature: '\`x-${name}-signature\`, HMAC-SHA256 of the body, hex',
    signsTime: false,
    eventId: '\`id\`',
    eventType: '\`type\`',
    objectKey: '\`object\`',
    providerTime: '\`created_at\`',
    success: 'any 2xx',
    handshake: null,
    secret: 'the signing secret, as text',
    sources: ['https://www.rfc-editor.org/rfc/rfc2104'],
  },
  configure: withoutOptions(
    hmacScheme(
      {
        signature: { header: 'x-${name}-signature', algorithm: 'sha256', encoding: 'hex', content: '{body}' },
        event: { id: '{id}', type: '{type}', object: '{object}', time: '{created_at}' },
      },
      (value) => chosenSecretProblem(value, 16),
    ),
  ),
  samples,
  example: { options: {}, secrets: ['example-signing-secret-1', 'example-signing-secret-2'] },
};
`;
}

function samplesSource(name: string): string {
  return `import type { Sample } from '../provider.ts';

/** Begun with something that happens to everybody. Make it what ${titleOf(name)} really sends. */
export const samples: Readonly<Record<string, Sample>> = {
  'order.created': {
    eventType: 'order.created',
    body: ({ tag, nowMs }) => ({
      id: \`evt_\${tag}_order_created\`,
      type: 'order.created',
      created_at: new Date(nowMs).toISOString(),
      object: \`order_\${tag}\`,
    }),
  },
};
`;
}
