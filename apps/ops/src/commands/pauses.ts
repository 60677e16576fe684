import { heldByPause, openPauses } from '@mailroom/inbox';
import { withDatabase } from '../connect.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { heldCounts } from '../queries/held-counts.ts';
import { readOnly } from '../read-only.ts';
import { count } from '../terminal/count.ts';
import { writeTable } from '../terminal/table.ts';
import { visible } from '../terminal/visible.ts';
import { describePause } from './pause.ts';

export const pausesCommand: OperatorCommand = {
  name: 'pauses',
  summary: 'what is paused, by whom, and what waits for it',
  description:
    'Lists the pauses in force, also those that a breaker opened by itself because a handler failed again and again. A breaker ' +
    'tries one event now and then and ends at the first success; resume ends it at once.',
  examples: [['pauses', 'the pauses in force']],
  exitCodes: [[exitCode.ok, 'listed, also where nothing is paused']],
  declare: () => undefined,
  run: async ({ world, json }) => {
    const { pauses, held } = await withDatabase(world, async (database) => ({
      pauses: await openPauses(database),
      held: await readOnly(database, heldCounts),
    }));
    const rows = pauses.map((pause) => ({ ...pause, held: held.get(heldByPause(pause.pauseId)) ?? 0 }));
    if (json) world.terminal.json({ pauses: rows });
    else if (rows.length === 0) world.terminal.line('nothing is paused');
    else {
      writeTable(
        world.terminal,
        [{ title: 'ID' }, { title: 'WHAT' }, { title: 'HELD', align: 'right' }, { title: 'BY' }, { title: 'WHY' }],
        rows.map((row) => [
          row.pauseId,
          visible(describePause(row)),
          count(row.held),
          visible(row.openedBy),
          visible(row.reason),
        ]),
      );
    }
    return exitCode.ok;
  },
};
