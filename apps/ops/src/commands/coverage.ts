import { type CoverageRow, readCoverage, sweptEndpoints } from '@mailroom/reconcile';
import { type EndpointChoice, endpointOption } from '../arguments/endpoint-option.ts';
import { given, moment } from '../arguments/option-values.ts';
import { withDatabase } from '../connect.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { readOnly } from '../read-only.ts';
import { writeCoverage } from '../views/coverage-view.ts';

interface CoverageOptions {
  readonly endpoint?: EndpointChoice;
  readonly type?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly byType?: boolean;
  readonly holes?: boolean;
}

export const coverageCommand: OperatorCommand = {
  name: 'coverage',
  summary: 'hour by hour, what should have come and how it came',
  description:
    'What sweeps have found (reconcile events): of the events that the provider lists for an hour, how many came by webhook, ' +
    'how many of them late, and how many a sweep let in. An hour that was not swept is not there. All times are UTC. Reads only.',
  examples: [
    ['coverage', 'the last day'],
    ['coverage --holes --since 7d', 'the hours of a week in which webhooks were lost or late'],
    ['coverage --by-type --endpoint stripe/billing --since 6h', 'type by type'],
  ],
  exitCodes: [[exitCode.ok, 'answered, also when there is nothing']],
  declare: (command) =>
    command
      .option('--endpoint <provider/endpoint>', 'only this endpoint, or every endpoint of a provider', endpointOption)
      .option('--type <type>', 'only this event type', given)
      .option('--since <when>', 'from then on: 6h, 3d, 2026-11-30T06:00:00Z; a day ago by default', moment)
      .option('--until <when>', 'up to then; now by default', moment)
      .option('--by-type', 'a line for each event type')
      .option('--holes', 'only where not everything came by webhook in good time'),
  run: async ({ world, options: asked, json }) => {
    const options = asked as CoverageOptions;
    const filter = {
      since: options.since ?? new Date(Date.now() - dayMs),
      until: options.until ?? new Date(),
      provider: options.endpoint?.provider ?? null,
      endpoint: options.endpoint?.endpoint ?? null,
      eventType: options.type ?? null,
    };
    const { rows, swept } = await withDatabase(world, (database) =>
      readOnly(database, async (tx) => ({ rows: await readCoverage(tx, filter), swept: await sweptEndpoints(tx) })),
    );
    const shown = (options.byType || json ? rows : acrossTypes(rows)).filter(
      ({ expected, received }) => !options.holes || received < expected,
    );
    if (json) world.terminal.json({ swept, coverage: shown });
    else writeCoverage(world.terminal, shown, swept, options.byType === true);
    return exitCode.ok;
  },
};

function acrossTypes(rows: readonly CoverageRow[]): readonly CoverageRow[] {
  const hours = new Map<string, CoverageRow>();
  for (const row of rows) {
    const key = `${row.hour.getTime()} ${row.provider}/${row.endpoint}`;
    const sum = hours.get(key);
    hours.set(key, {
      ...row,
      eventType: '',
      expected: row.expected + (sum?.expected ?? 0),
      received: row.received + (sum?.received ?? 0),
      late: row.late + (sum?.late ?? 0),
      injected: row.injected + (sum?.injected ?? 0),
    });
  }
  return [...hours.values()];
}

const dayMs = 86_400_000;
