import { hostname } from 'node:os';
import { loadConfig } from '@mailroom/config';
import { type PruneOptions, prune, pruneAlone } from '@mailroom/inbox';
import { providers, redeliveryMsOf } from '@mailroom/providers';
import { withDatabase } from '../connect.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { count } from '../terminal/count.ts';
import { writeTable } from '../terminal/table.ts';

export const pruneCommand: OperatorCommand = {
  name: 'prune',
  summary: 'delete what is kept no longer, or say what would go',
  description:
    'Goes once over everything that has a retention (docs/retention.md), in small batches, beside running ingestors and workers. ' +
    'Workers do the same by themselves every hour, one at a time; this is for a schedule of your own (WORKER_PRUNE=off), and with ' +
    '--dry-run for looking. An event that is not finished keeps its row, its body and its failures, however old. Refuses to delete ' +
    'anything where a provider may send an event again for longer than it is kept. Needs the role mailroom_pruner.',
  examples: [
    ['prune --dry-run', 'how many rows of what would go'],
    ['prune', 'delete them'],
  ],
  exitCodes: [
    [exitCode.ok, 'everything old is gone, or was counted'],
    [exitCode.no, 'somebody else is at it'],
  ],
  declare: (command) => command.option('--dry-run', 'count, and delete nothing'),
  run: async ({ world, options, json }) => {
    const { dryRun = false } = options as { readonly dryRun?: boolean };
    const { retention } = loadConfig('ops', { env: world.env, cwd: world.cwd, providers });
    const how: PruneOptions = { retention, redeliveryMsOf, dryRun };
    const chore = { name: 'prune', holder: `${hostname()}:${process.pid}`.slice(-255), leaseMs: 60_000, everyMs: 0 };
    const pruned = await withDatabase(world, (database) =>
      dryRun ? prune(database, how) : pruneAlone(database, chore, how),
    );
    if (pruned === undefined) {
      world.terminal.note('somebody else is pruning right now');
      return exitCode.no;
    }
    const rows = pruned.map(({ rule, rows: gone }) => ({
      table: rule.table,
      what: rule.what,
      days: retention[rule.keptFor],
      rows: gone,
    }));
    if (json) world.terminal.json({ dryRun, rows });
    else {
      writeTable(
        world.terminal,
        [
          { title: 'TABLE' },
          { title: 'WHAT' },
          { title: 'KEPT', align: 'right' },
          { title: dryRun ? 'WOULD GO' : 'GONE', align: 'right' },
        ],
        rows.map((row) => [row.table, row.what, `${row.days}d`, count(row.rows)]),
      );
    }
    return exitCode.ok;
  },
};
