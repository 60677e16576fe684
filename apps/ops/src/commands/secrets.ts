import { describeConfig, validityOf } from '@mailroom/config';
import { providers } from '@mailroom/providers';
import { mergeDescriptions, usualRoles } from '../config/merge-descriptions.ts';
import { withDatabase } from '../connect.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { databaseClock } from '../queries/database-clock.ts';
import { type SecretUse, secretUses } from '../queries/secret-uses.ts';
import { readOnly } from '../read-only.ts';
import { count } from '../terminal/count.ts';
import { ago, instant } from '../terminal/span.ts';
import { writeTable } from '../terminal/table.ts';
import { visible } from '../terminal/visible.ts';
import type { World } from '../world.ts';

/** A secret that is configured here, or that matched once, or both. */
interface SecretRow {
  readonly provider: string;
  readonly endpoint: string;
  readonly label: string;
  /** `env:NAME` or `file:/PATH`; null: not configured here. */
  readonly from: string | null;
  readonly notBefore: Date | null;
  readonly notAfter: Date | null;
  readonly validity: 'valid' | 'too_early' | 'too_late' | 'not_configured';
  readonly lastMatchAt: Date | null;
  readonly matchesLately: number;
}

export const secretsCommand: OperatorCommand = {
  name: 'secrets',
  summary: 'which signing secrets are in use, so that an old one can be removed',
  description:
    'For each secret of each endpoint: where it comes from, when it is valid, when a delivery last verified under it, and how ' +
    'many did in seven days. Shows labels, never a secret. Run it with the environment of the ingestor to see what is ' +
    'configured; elsewhere it shows what matched. An old secret is safe to remove when it has not matched for longer than the ' +
    'provider sends an event again (docs/providers.md) and the new one has. Reads only.',
  examples: [['secrets', 'after a rotation, before the old secret is removed']],
  exitCodes: [[exitCode.ok, 'answered']],
  declare: () => undefined,
  run: async ({ world, json }) => {
    const { uses, now } = await withDatabase(world, (database) =>
      readOnly(database, async (tx) => ({ uses: await secretUses(tx), now: await databaseClock(tx) })),
    );
    const { configured, isWhole } = configuredSecrets(world, now);
    const rows = merged(configured, uses);
    if (json) {
      world.terminal.json({ secrets: rows, configurationIsWhole: isWhole });
      return exitCode.ok;
    }
    writeTable(
      world.terminal,
      [
        { title: 'ENDPOINT' },
        { title: 'LABEL' },
        { title: 'VALID' },
        { title: 'LAST MATCH' },
        { title: '7 DAYS', align: 'right' },
        { title: 'FROM' },
      ],
      rows.map((row) => [
        `${row.provider}/${row.endpoint}`,
        visible(row.label),
        windowText(row),
        row.lastMatchAt === null ? 'never' : ago(row.lastMatchAt, now),
        count(row.matchesLately),
        visible(row.from ?? ''),
      ]),
    );
    if (!isWhole)
      world.terminal.note(
        'the configuration is not whole here (mailroom config says why): some secrets may be missing',
      );
    return exitCode.ok;
  },
};

function configuredSecrets(world: World, now: Date) {
  const sources = { env: world.env, cwd: world.cwd, providers };
  const described = usualRoles(world.env['DATABASE_URL']).map((role) => describeConfig(role, sources));
  const { endpoints, problems } = mergeDescriptions(described);
  const configured = endpoints.flatMap(({ provider, endpoint, secrets }) =>
    secrets.map((secret): SecretRow => {
      const { label, from, notBefore = null, notAfter = null } = secret;
      const unused = { lastMatchAt: null, matchesLately: 0 };
      return {
        provider,
        endpoint,
        label,
        from,
        notBefore,
        notAfter,
        validity: validityOf(secret, now.getTime()),
        ...unused,
      };
    }),
  );
  return { configured, isWhole: problems.length === 0 };
}

function merged(configured: readonly SecretRow[], uses: readonly SecretUse[]): readonly SecretRow[] {
  const isSame = (a: SecretRow | SecretUse, b: SecretRow | SecretUse) =>
    a.provider === b.provider && a.endpoint === b.endpoint && a.label === b.label;
  const gone = uses
    .filter((use) => !configured.some((row) => isSame(row, use)))
    .map((use): SecretRow => ({ from: null, notBefore: null, notAfter: null, validity: 'not_configured', ...use }));
  return [...configured.map((row) => ({ ...row, ...uses.find((use) => isSame(row, use)) })), ...gone];
}

function windowText({ validity, notBefore, notAfter }: SecretRow): string {
  if (validity === 'not_configured') return 'not configured here';
  const parts = [
    notBefore === null ? null : `from ${instant(notBefore)}`,
    notAfter === null ? null : `until ${instant(notAfter)}`,
  ].filter((part) => part !== null);
  if (parts.length === 0) return 'always';
  const state = { valid: '', too_early: 'not yet: ', too_late: 'over: ' }[validity];
  return state + parts.join(' ');
}
