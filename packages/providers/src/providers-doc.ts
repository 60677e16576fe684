import type { Provider } from './provider.ts';
import { providers } from './registry.ts';

/** The whole text of docs/providers.md, from the registry. */
export function renderProvidersDoc(): string {
  return [
    '<!-- Generated from packages/providers/src by `npm run generate`. Change the providers there. -->',
    '# Providers',
    '',
    'Deliveries are posted to `/webhooks/<provider>/<endpoint>`. An endpoint is an entry of the endpoints file',
    '([configuration.md](configuration.md)): its provider, your name for it, its secrets, and the options listed below.',
    '',
    'Whoever is not in the table is received without code: give the sender a name of your own and say whose `scheme` it has,',
    '`standard-webhooks` for those who follow that specification (or use Svix), `generic-hmac` for anybody who signs the body',
    'with an HMAC. The name is part of the URL, of every key and of the handlers, as for any other provider.',
    '',
    '## Signatures and secrets',
    '',
    ...table(['provider', 'sends', 'signature', 'time is signed', 'secret'], (p) => [
      `\`${p.name}\``,
      p.title,
      p.facts.signature,
      p.facts.signsTime ? 'yes' : 'no',
      p.facts.secret,
    ]),
    '',
    'Where no time is signed, a captured delivery verifies for ever: what makes it harmless is that it is a known event. An id',
    'from a header that nobody signs is a claim; the hash of the body is kept beside it.',
    '',
    '## How events are named',
    '',
    ...table(['provider', 'event id', 'event type', 'object key', 'time'], ({ name, facts }) => [
      `\`${name}\``,
      facts.eventId,
      facts.eventType,
      facts.objectKey,
      facts.providerTime,
    ]),
    '',
    'An id that is missing, longer than 255 characters or unprintable is replaced by `sha256:` and the hash of the signed bytes.',
    'What verified and cannot be read is kept and quarantined.',
    '',
    '## Delivery',
    '',
    'Retries: from the first attempt to the last automatic one. Again on request: how old an event may be that the provider',
    'still sends when somebody asks for it. The ledger must remember events longer than both.',
    '',
    ...table(
      [
        'provider',
        'retries',
        'again on request',
        'answer within',
        'events a delivery',
        'success',
        'pings and challenges',
      ],
      ({ name, facts }) => [
        `\`${name}\``,
        span(facts.retryWindowMs),
        span(facts.replayWindowMs),
        span(facts.answerLimitMs),
        facts.batch === null ? '1' : `up to ${facts.batch.limit ?? 'any number'}`,
        facts.success,
        facts.handshake ?? '',
      ],
    ),
    '',
    ...providers.flatMap(options),
    '## Sources',
    '',
    ...providers.map(({ title, facts }) => `- ${title}: ${facts.sources.map((source) => `<${source}>`).join(', ')}`),
    '',
  ].join('\n');
}

function table(head: readonly string[], row: (provider: Provider) => readonly string[]): readonly string[] {
  return [head, head.map(() => '---'), ...providers.map(row)].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  );
}

function options({ name, title, facts, example }: Provider): readonly string[] {
  if (facts.options === undefined) return [];
  const isScheme = name === 'generic-hmac';
  const entry = {
    ...(isScheme ? { provider: 'acme', scheme: name } : { provider: name }),
    endpoint: isScheme ? 'orders' : 'payments',
    secrets: [isScheme ? 'env:ACME_WEBHOOK_SECRET' : `env:${name.toUpperCase()}_WEBHOOK_SECRET`],
    options: example.options,
  };
  return [
    `## Options of ${title} (\`${name}\`)`,
    '',
    '```json',
    JSON.stringify(entry, null, 2),
    '```',
    '',
    ...(isScheme ? templates : []),
    '| option | what it is |',
    '|---|---|',
    ...Object.entries(facts.options).map(([option, words]) => `| \`${option}\` | ${words} |`),
    '',
  ];
}

const templates = [
  'A template is text with placeholders in braces: a path into the JSON (`{data.id}`, `{items.0.id}`; within a batch it starts',
  'at the item) or a header (`{header:x-event-id}`). Templates are one of these or a list of them, of which the first counts',
  'that can be filled.',
  '',
];

function span(ms: number | null): string {
  if (ms === null) return 'not documented';
  if (ms === 0) return 'never';
  const units = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
  ] as const;
  const [size, unit] = units.find(([each]) => ms >= 2 * each) ?? [1000, 's'];
  return `${Math.round((ms / size) * 10) / 10} ${unit}`;
}
