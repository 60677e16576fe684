import { readdirSync, readFileSync } from 'node:fs';

/** One process of this machine. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Whether a process lives; one that ended and was not reaped yet does not. */
export function isAlive(pid: number): boolean {
  return entryOf(String(pid)) !== null;
}

/** Every living process whose environment holds `marker`, or whose command line does. Linux only. */
export function processesWith(marker: string): readonly ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => readProc(name, 'environ').includes(marker) || readProc(name, 'cmdline').includes(marker))
    .flatMap((name) => entryOf(name) ?? []);
}

function entryOf(name: string): ProcessEntry | null {
  // The name of the program, in brackets, may hold anything; the fields after it do not. proc_pid_stat(5).
  const stat = readProc(name, 'stat');
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || state === 'Z' || state === 'X') return null;
  return { pid: Number(name), parent: Number(parent), command: readProc(name, 'cmdline').replaceAll('\0', ' ').trim() };
}

function readProc(name: string, file: string): string {
  try {
    return readFileSync(`/proc/${name}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
