import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { serverEnvironment } from './server-environment.ts';

/** A process that lives, told from a later one with the same pid by when it started. */
export interface RunningProcess {
  readonly pid: number;
  /** Equal for the same process, different for another one that was given the same pid. */
  readonly startedAt: string;
  /** The file name of its program. */
  readonly program: string;
  /** Its arguments, the program first, with a space between; some systems tell no more. */
  readonly commandLine: string;
}

/** The process with this pid, or null when none lives. A zombie is dead: nobody may ever reap it where pid 1 is no init. */
export function runningProcess(pid: number): RunningProcess | null {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

// Slim container images have no `ps`, and neither file needs the right to trace the process, as /proc/<pid>/cwd would.
function fromProc(pid: number): RunningProcess | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  const cmdline = readOrNull(`/proc/${pid}/cmdline`);
  if (stat === null || cmdline === null) return null;
  // The second field, the name, may hold spaces and brackets; those after its last bracket do not. proc_pid_stat(5).
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticksSinceBoot = rest[18];
  if (state === 'Z' || state === 'X' || ticksSinceBoot === undefined) return null;
  const boot = readOrNull('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  const [program = '', ...args] = cmdline.split('\0').slice(0, -1);
  return {
    pid,
    startedAt: `${boot}:${ticksSinceBoot}`,
    program: basename(program),
    commandLine: [program, ...args].join(' '),
  };
}

function fromPs(pid: number): RunningProcess | null {
  const column = (name: string) => {
    const run = spawnSync('ps', ['-p', String(pid), '-o', `${name}=`], { encoding: 'utf8', env: serverEnvironment });
    return run.status === 0 ? run.stdout.trim() : '';
  };
  const startedAt = column('lstart');
  const state = column('stat');
  if (startedAt === '' || state === '' || state.startsWith('Z')) return null;
  return { pid, startedAt, program: basename(column('comm')), commandLine: column('args') };
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
