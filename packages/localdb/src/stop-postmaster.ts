import { CodedError, type Logger } from '@mailroom/kernel';
import { type RunningProcess, runningProcess } from './running-process.ts';
import { waitUntil } from './wait-until.ts';

/**
 * Stops a server: fast (clients are cut off, everything is written) and, when that does not end in time, immediately (the
 * next start recovers from the log; nothing committed is lost). PostgreSQL manual, section 18.5. Throws `localdb_stop_timeout`.
 */
export async function stopPostmaster(server: RunningProcess, log: Logger): Promise<void> {
  const gone = () => runningProcess(server.pid)?.startedAt !== server.startedAt;
  signal(server, 'SIGINT');
  if (await waitUntil(gone, fastDeadlineMs)) return;
  log.warn('localdb_stop_forced', { pid: server.pid });
  signal(server, 'SIGQUIT');
  if (await waitUntil(gone, immediateDeadlineMs)) return;
  throw new CodedError('localdb_stop_timeout', `the database server, process ${server.pid}, does not stop`);
}

// A fast shutdown writes a checkpoint, which a slow disk may take its time for.
const fastDeadlineMs = 60_000;
const immediateDeadlineMs = 10_000;

function signal(server: RunningProcess, name: NodeJS.Signals): void {
  if (runningProcess(server.pid)?.startedAt !== server.startedAt) return;
  try {
    process.kill(server.pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
