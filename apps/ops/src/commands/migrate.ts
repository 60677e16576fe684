import { migrate, partitionLedger } from '@mailroom/db';
import { type Logger, silentLogger } from '@mailroom/kernel';
import { partitionCount } from '../arguments/option-values.ts';
import { describeDatabase, withDatabase } from '../connect.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { count } from '../terminal/count.ts';
import type { Terminal } from '../terminal/terminal.ts';

export const migrateCommand: OperatorCommand = {
  name: 'migrate',
  summary: "bring the database's tables up to this release",
  description:
    'Applies what is missing of migrations/, in order, each in a transaction of its own. Safe from any number of machines at ' +
    'once: one works, the others wait. Needs a direct connection (no pooler in transaction mode) and a role that owns the ' +
    'tables. --partition-ledger splits the ledger by the hash of its key, once and for good (docs/retention.md): stop ingestors and ' +
    'workers first, for it copies every row while nobody can read or write the ledger.',
  examples: [
    ['migrate', 'after an upgrade, before the new processes start'],
    ['migrate --partition-ledger 16', 'for a ledger of hundreds of millions, with everything stopped'],
  ],
  exitCodes: [
    [exitCode.ok, 'the database is up to date'],
    [exitCode.no, 'the ledger is partitioned already'],
  ],
  declare: (command) =>
    command.option('--partition-ledger <n>', 'then split the ledger into so many partitions, 2 to 256', partitionCount),
  run: async ({ world, options, json }) => {
    const { partitionLedger: partitions } = options as { readonly partitionLedger?: number };
    const { terminal } = world;
    const log = json ? silentLogger : migrationNotes(terminal);
    // The migrator has a connection of its own. This one only finds the database, and says plainly where there is none.
    const { applied, database, copied } = await withDatabase(world, async (_database, url) => ({
      ...(await migrate({ url, deadlineMs: waitMs, log })),
      copied: partitions === undefined ? null : await partitionLedger({ url, partitions, deadlineMs: waitMs }),
      database: describeDatabase(url),
    }));
    if (json) terminal.json({ database, applied, ...(copied === null ? {} : { partitions, copied }) });
    else if (applied.length === 0) terminal.line(`${database} is up to date`);
    else for (const name of applied) terminal.line(`${terminal.paint('green', 'applied')} ${name}`);
    if (!json && copied !== null) {
      terminal.line(`the ledger has ${partitions} partitions now; ${count(copied)} events were copied`);
    }
    return exitCode.ok;
  },
};

/** What the migrator has to warn of, for a person. */
function migrationNotes(terminal: Terminal): Logger {
  return {
    ...silentLogger,
    warn: (event, fields) => terminal.note(`${event} ${JSON.stringify(fields ?? {})}`),
  };
}

// How long to wait for a connection and for another migrator.
const waitMs = 60_000;
