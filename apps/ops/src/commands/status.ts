import { describeDatabase, withDatabase } from '../connect.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { readOnly } from '../read-only.ts';
import { advise } from '../status/advice.ts';
import { readStatus } from '../status/status-report.ts';
import { writeStatus } from '../views/status-view.ts';

export const statusCommand: OperatorCommand = {
  name: 'status',
  summary: 'how things stand, and what to do next',
  description:
    'Counts by state and by endpoint, the age of the backlog, who holds leases, what failed in the last hour, and for ' +
    'everything that is wrong what to type next. One snapshot; reads only.',
  examples: [
    ['status', 'begin here'],
    ['status --json', 'the same for a program'],
  ],
  exitCodes: [[exitCode.ok, 'the answer was given, good or bad']],
  declare: () => undefined,
  run: async ({ world, json }) => {
    const { report, database } = await withDatabase(world, async (open, url) => ({
      report: await readOnly(open, readStatus),
      database: describeDatabase(url),
    }));
    const advice = advise(report);
    if (json) world.terminal.json({ database, ...report, advice });
    else writeStatus(world.terminal, database, report, advice);
    return exitCode.ok;
  },
};
