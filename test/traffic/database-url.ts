import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder, UsageError } from './target.ts';

/**
 * The database to compare with: `DATABASE_URL`, else the local one that `npm start` runs. The port stands in the fourth line of
 * the server's own status file (PostgreSQL's src/include/utils/pidfile.h), the password beside its data.
 */
export function databaseUrlOf(env: NodeJS.ProcessEnv): string {
  const given = env['DATABASE_URL'];
  if (given) return given;
  const home = homeFolder(env);
  try {
    const port = readFileSync(join(home, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3];
    const password = readFileSync(join(home, 'postgres.password'), 'utf8').trim();
    return `postgres://mailroom:${password}@127.0.0.1:${port}/mailroom`;
  } catch {
    throw new UsageError(
      `No database to compare with: DATABASE_URL is unset and no local database runs under ${home}.\n` +
        'Start Mailroom first (npm start), in this folder or with the same MAILROOM_HOME, or set its DATABASE_URL.',
    );
  }
}
