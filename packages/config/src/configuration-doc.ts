import { endpointLimits } from './endpoint-entry.ts';
import { rules } from './rules.ts';
import type { Setting } from './setting.ts';
import { settings } from './settings.ts';

/** The whole text of docs/configuration.md, from the tables. */
export function renderConfigurationDoc(): string {
  return [
    '<!-- Generated from packages/config/src by `npm run generate`. Change the tables there. -->',
    '# Configuration',
    '',
    'Mailroom is configured by environment variables and two JSON files, of endpoints and of [sinks](outbox.md#sinks). Each process checks all of what it reads',
    'before it does anything, names every problem at once, and does not start while there is one. A variable that a process',
    'does not read is not checked by it: a wrong `PORT` stops no worker. `npm run mailroom -- config` prints what holds, with',
    'secrets redacted, and where each value came from.',
    '',
    'Durations end with `_MS` (milliseconds) or `_DAYS`, sizes with `_BYTES` or contain it. Numbers are plain digits: `10000`, not `10s`,',
    '`1e4` or `10_000`. An empty variable counts as not set. A variable that begins with `MAILROOM_` and is not a setting is',
    'reported as a warning, with the name it probably meant.',
    '',
    ...groups.map(settingsTable),
    '## Rules between settings',
    '',
    'A process that reads the settings of a rule does not start where it is broken.',
    '',
    'An endpoint whose provider may send an event again for as long as `LEDGER_RETENTION_DAYS`, or for longer than',
    '`BODY_RETENTION_DAYS`, is refused too ([retention.md](retention.md)).',
    '',
    '| rule | because |',
    '|---|---|',
    ...rules.map(({ statement, why }) => `| \`${statement}\` | ${why} |`),
    '',
    ...endpointsFile,
    ...secrets,
    ...withoutAFile,
  ].join('\n');
}

const groups: readonly { readonly title: string; readonly holds: (key: string) => boolean }[] = [
  { title: 'Every process', holds: (key) => !key.includes('.') },
  { title: 'The database', holds: (key) => key.startsWith('database.') },
  { title: 'Receiving', holds: (key) => key.startsWith('ingest.') },
  { title: 'Working', holds: (key) => key.startsWith('worker.') },
  { title: 'Sending', holds: (key) => key.startsWith('outbox.') },
  { title: 'Reconciling', holds: (key) => key.startsWith('reconcile.') },
  { title: 'How long things are kept', holds: (key) => key.startsWith('retention.') },
];

function settingsTable({ title, holds }: (typeof groups)[number]): string {
  const rows = (settings as readonly Setting[]).filter(({ key }) => holds(key)).map(settingRow);
  const head = ['| variable | default | allowed | read by | what it is |', '|---|---|---|---|---|'];
  return [`## ${title}`, '', ...head, ...rows, ''].join('\n');
}

function settingRow(setting: Setting): string {
  const standard = setting.default === null ? '' : `\`${setting.default}\``;
  return `| \`${setting.name}\` | ${standard} | ${allowed(setting)} | ${setting.roles.join(', ')} | ${setting.description} |`;
}

function allowed(setting: Setting): string {
  switch (setting.kind) {
    case 'integer':
      return `${setting.min} to ${setting.max}`;
    case 'choice':
      return setting.choices.map((value) => `\`${value}\``).join(', ');
    case 'text':
      return 'up to 255 characters';
    case 'path':
      return 'a path';
    case 'host':
      return 'an address or a host name';
    case 'url':
      return '`https://...`, without a query';
    case 'databaseUrl':
      return '`postgres://...`';
    case 'secret':
      return 'a secret';
  }
}

const { toleranceMs, maxBodyBytes } = endpointLimits;

const endpointsFile = [
  '## The endpoints file',
  '',
  '`mailroom.endpoints.json` in the working directory, or the file that `MAILROOM_ENDPOINTS_FILE` names. Strict JSON; unknown',
  'keys are refused, with the name they probably meant. It says where secrets are and never holds one, so it can be kept',
  'under version control.',
  '',
  '```json',
  '{',
  '  "endpoints": [',
  '    {',
  '      "provider": "stripe",',
  '      "endpoint": "billing",',
  '      "secrets": [',
  '        "env:STRIPE_WEBHOOK_SECRET",',
  '        { "label": "2026-11", "from": "file:/run/secrets/stripe" }',
  '      ]',
  '    }',
  '  ]',
  '}',
  '```',
  '',
  'Deliveries are posted to `/webhooks/<provider>/<endpoint>`. Each pair stands in the file once.',
  '',
  '| key | default | allowed | what it is |',
  '|---|---|---|---|',
  '| `provider` | | a provider of [providers.md](providers.md), or a name of your own beside a `scheme` | who sends, part of the URL and of every key |',
  '| `scheme` | the provider | a provider of [providers.md](providers.md) | whose signatures and bodies a sender of your own naming has |',
  '| `options` | `{}` | an object | what the scheme asks for, described in [providers.md](providers.md); never a secret |',
  '| `endpoint` | | lower-case letters, digits, `_`, `-`; at most 63 | your name for it, part of the URL and of every key |',
  '| `secrets` | | 1 to 16 | all that are valid are tried on every delivery; list the old and the new one while you rotate |',
  `| \`toleranceMs\` | \`${toleranceMs.default}\` | ${toleranceMs.min} to ${toleranceMs.max} | how far a signed timestamp may lie in the past or in the future |`,
  `| \`maxBodyBytes\` | \`${maxBodyBytes.default}\` | ${maxBodyBytes.min} to ${maxBodyBytes.max} | a larger body is answered 413; at most \`INGEST_MAX_WAITING_BYTES\` |`,
  '| `reconcile` | | an object | how missed events are asked for: `"key"`, an API key as `env:NAME` or `file:PATH`, and the options in [reconciliation.md](reconciliation.md) |',
  '| `keepRejectedBodies` | `false` | `true`, `false` | whether `mailroom rejections` keeps the body (at most 64 KiB) of what was not verified |',
  '',
];

const secrets = [
  '## Secrets',
  '',
  '- `env:NAME` is a variable in capitals. `file:PATH` is an absolute path, or one that begins with `./` or `../` and starts at',
  '  the folder of the endpoints file. `dir:PATH` is a folder of which every file is a secret, its name the label, as Kubernetes',
  '  and Docker mount them; names that begin with a dot are passed over. Anything else might be a secret pasted in the wrong',
  '  place: it is refused and not shown.',
  '- `"notBefore"` and `"notAfter"` bound when a secret counts: `{ "from": "file:...", "notAfter": "2026-12-01T00:00:00Z" }`.',
  '  `mailroom secrets` shows when each last matched, so that an old one can be removed safely.',
  '- SIGHUP makes an ingestor read the endpoints file and its secrets again, without dropping a request. Where anything is',
  '  wrong the old ones stay and the log says why (`endpoints_not_reloaded`). Settings of the environment stay as they were.',
  '- Test and live secrets of one URL are told apart by their labels, for example `test` and `live`.',
  '- The label tells secrets apart in the inbox, the logs and the metrics. It is the name of the variable or of the file, or',
  '  what `"label"` says: letters, digits, `.`, `_`, `-`, at most 64. Labels of an endpoint differ, and so do its secrets.',
  '- One line break at the end of a file is not part of the secret: `echo`, editors and `kubectl create secret --from-file`',
  '  leave one. Nothing else is trimmed. A secret with white space, quotation marks or invisible characters around it, with',
  "  another provider's prefix or too short is refused at start, for it would fail on every delivery.",
  '- A secret never appears in a message, a log line or the output of `mailroom config`, not even in part.',
  '',
];

const withoutAFile = [
  '## Without an endpoints file',
  '',
  'There is one endpoint, `stripe/billing`, and its secret is `STRIPE_WEBHOOK_SECRET` (label `env`). Where that is not set',
  'either, `npm start` makes a secret at its first start and keeps it in `stripe-webhook-secret` under `MAILROOM_HOME` (label',
  '`generated`, readable by its owner only), where `npm run send` finds it; an ingestor started by itself refuses to start.',
  '',
];
