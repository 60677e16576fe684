import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ChaosDatabase } from './chaos-database.ts';

/**
 * Resumes what breakers hold, as an operator does who knows that the faults are over: with nothing but poison left and no traffic a
 * breaker would try one of them every ten seconds.
 */
export async function endPauses(database: ChaosDatabase, repository: string): Promise<void> {
  const open = await database.query<{ id: string }>('select pause_id::text as id from pauses where ended_at is null');
  for (const { id } of open) {
    const mailroom = [join(repository, 'apps/ops/src/main.ts'), 'resume', id];
    await promisify(execFile)(
      process.execPath,
      [...mailroom, '--actor', 'chaos', '--reason', 'the faults are over'],
      { cwd: repository, env: { ...process.env, DATABASE_URL: database.url() } },
      // Another worker's canary may have ended it in the same moment.
    ).catch(() => undefined);
  }
}
