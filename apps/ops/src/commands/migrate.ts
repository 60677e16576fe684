import { migrate } from '@mailroom/db';
import { type Logger, silentLogger } from '@mailroom/kernel';
import { describeDatabase, withDatabase } from '../connect.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

export const migrateCommand: OperatorCommand = {
  name: 'migrate',
  summary: "bring the database's tables up to this release",
  description:
    'Applies what is missing of migrations/, in order, each in a transaction of its own. Safe from any number of machines at ' +
    'once: one works, the others wait. Needs a direct connection (no pooler in transaction mode) and a role that owns the ' +
    'tables.',
  examples: [['migrate', 'after an upgrade, before the new processes start']],
  exitCodes: [[exitCode.ok, 'the database is up to date']],
  declare: () => undefined,
  run: async ({ world, json }) => {
    const { terminal } = world;
    const log = json ? silentLogger : migrationNotes(terminal);
    // The migrator has a connection of its own. This one only finds the database, and says plainly where there is none.
    const { applied, database } = await withDatabase(world, async (_database, url) => ({
      ...(await migrate({ url, deadlineMs: waitMs, log })),
      database: describeDatabase(url),
    }));
    if (json) terminal.json({ database, applied });
    else if (applied.length === 0) terminal.line(`${database} is up to date`);
    else for (const name of applied) terminal.line(`${terminal.paint('green', 'applied')} ${name}`);
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
