import { readFileSync, writeFileSync } from 'node:fs';
import { CodedError, type Logger } from '@mailroom/kernel';
import type { HomeLayout } from './home-layout.ts';
import { findPostmaster } from './postmaster.ts';
import { stopPostmaster } from './stop-postmaster.ts';

/**
 * Makes sure that no server is left of an earlier run; called by the holder of the home's lock, so a server of ours that still
 * runs has lost its parent and its guard. Throws `localdb_foreign_server`.
 */
export async function clearTheWay(layout: HomeLayout, log: Logger): Promise<void> {
  const found = findPostmaster(layout);
  switch (found.outcome) {
    case 'none':
      return;
    case 'stale':
      log.info('localdb_stale_pid', { pid: found.pid });
      disown(layout);
      return;
    case 'running':
      log.warn('localdb_taken_over', { pid: found.process.pid });
      await stopPostmaster(found.process, log);
      return;
    case 'foreign':
      throw new CodedError(
        'localdb_foreign_server',
        `${layout.data} seems to be served by a PostgreSQL that Mailroom did not start, process ${found.pid}. Stop it first.`,
      );
  }
}

// PostgreSQL takes any living process with that pid for its predecessor and refuses to start, a zombie or another program
// too. The file is not removed, for it also says which shared memory to look for before starting; only its pid is replaced by
// one that no system gives out.
function disown(layout: HomeLayout): void {
  const [, ...rest] = readFileSync(layout.postmasterFile, 'utf8').split('\n');
  writeFileSync(layout.postmasterFile, ['2147483646', ...rest].join('\n'));
}
