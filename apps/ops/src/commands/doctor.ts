import { describeConfig } from '@mailroom/config';
import { CodedError, messageOf } from '@mailroom/kernel';
import { providers } from '@mailroom/providers';
import { seconds } from '../arguments/option-values.ts';
import { type MergedDescription, mergeDescriptions, usualRoles } from '../config/merge-descriptions.ts';
import { withDatabase } from '../connect.ts';
import { databaseFindings } from '../doctor/database-findings.ts';
import { endpointFindings } from '../doctor/endpoint-findings.ts';
import { type Finding, fine, wrong } from '../doctor/finding.ts';
import { outboxFindings, type Sending } from '../doctor/outbox-findings.ts';
import { reconciliationFindings } from '../doctor/reconciliation-findings.ts';
import { stripeFindings } from '../doctor/stripe-findings.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { readOnly } from '../read-only.ts';
import { writeTable } from '../terminal/table.ts';
import type { Style, Terminal } from '../terminal/terminal.ts';
import { visible } from '../terminal/visible.ts';
import type { World } from '../world.ts';

export const doctorCommand: OperatorCommand = {
  name: 'doctor',
  summary: 'what will go wrong here, before it does',
  description:
    'Compares the configuration with what each provider does (how long it sends events again, how long it waits for an answer, ' +
    'how large its batches are), and looks at the database: version, missing migrations, clock, durability, transactions that ' +
    'keep vacuum from its work, event types that have stopped coming, what comparisons with the providers found, and messages ' +
    'that nobody sends. Says where calls of Stripe wait for a key. Run it where the ingestor runs, with its environment. Reads only.',
  examples: [
    ['doctor', 'before going live, and in a deployment'],
    ['doctor --json', 'for a monitor'],
  ],
  exitCodes: [
    [exitCode.ok, 'nothing is wrong'],
    [exitCode.no, 'something is wrong'],
  ],
  declare: (command) =>
    command.option('--open-longer-than <age>', 'transactions open for longer hold vacuum up: 90s, 5m', seconds, 300),
  run: async ({ world, options, json }) => {
    const { openLongerThan } = options as { readonly openLongerThan: number };
    const described = describe(world);
    const findings = [...configurationFindings(described), ...(await askDatabase(world, described, openLongerThan))];
    if (json) world.terminal.json({ findings });
    else writeFindings(world.terminal, findings);
    return findings.some(({ level }) => level === 'wrong') ? exitCode.no : exitCode.ok;
  },
};

function describe(world: World): MergedDescription {
  const sources = { env: world.env, cwd: world.cwd, providers };
  return mergeDescriptions(usualRoles(world.env['DATABASE_URL']).map((role) => describeConfig(role, sources)));
}

function sendingOf({ settings, sinks }: MergedDescription): Sending {
  const valueOf = (name: string) => settings.find((setting) => setting.name === name)?.value ?? '';
  return { relay: valueOf('OUTBOX_RELAY') === 'on', sinks: sinks.length, unrouted: valueOf('OUTBOX_UNROUTED') };
}

function hasStripeKey({ settings }: MergedDescription): boolean {
  return settings.some(({ name, source }) => name === 'STRIPE_API_KEY' && source !== 'default');
}

function configurationFindings(described: MergedDescription): readonly Finding[] {
  const { settings, endpoints, problems, warnings } = described;
  const numberOf = (name: string) => Number(settings.find((setting) => setting.name === name)?.value);
  const limits = {
    ledgerRetentionDays: numberOf('LEDGER_RETENTION_DAYS'),
    answerDeadlineMs: numberOf('INGEST_ANSWER_DEADLINE_MS'),
  };
  const mend = 'No process of this configuration starts. Mend it, or run this where the ingestor runs.';
  const whole = [
    ...problems.map((problem) => wrong('configuration', problem, mend)),
    ...warnings.map((warning): Finding => ({ level: 'note', subject: 'configuration', found: warning, advice: null })),
  ];
  return [
    ...(whole.length > 0 ? whole : [fine('configuration', 'valid, and its limits and timeouts fit each other')]),
    ...endpoints.flatMap((endpoint) => endpointFindings(endpoint, limits, Date.now())),
  ];
}

/** A configuration that is wrong is told by its own findings, and a database that cannot be asked is one more. */
async function askDatabase(
  world: World,
  described: MergedDescription,
  openLongerThan: number,
): Promise<readonly Finding[]> {
  try {
    return await withDatabase(world, (database) =>
      readOnly(database, async (tx) => {
        const findings = await databaseFindings(tx, { clock: Date.now, openLongerThan });
        // Only a migrated database has the tables.
        const isMigrated = findings.every(({ subject, level }) => subject !== 'migrations' || level !== 'wrong');
        if (!isMigrated) return findings;
        return [
          ...findings,
          ...(await stripeFindings(tx, hasStripeKey(described))),
          ...(await outboxFindings(tx, sendingOf(described))),
          ...(await reconciliationFindings(tx)),
        ];
      }),
    );
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    if (error.code === 'config_invalid') return [];
    return [wrong('database', messageOf(error), 'Nothing can be received or processed without it.')];
  }
}

function writeFindings(terminal: Terminal, findings: readonly Finding[]): void {
  const rows = findings.map(({ level, subject, found, advice }) => [
    terminal.paint(styleOf[level], level),
    visible(subject),
    visible(advice === null ? found : `${found}. ${advice}`),
  ]);
  writeTable(terminal, [{ title: '' }, { title: 'SUBJECT' }, { title: 'FOUND' }], rows);
}

const styleOf: Readonly<Record<Finding['level'], Style>> = { fine: 'green', note: 'yellow', wrong: 'red' };
