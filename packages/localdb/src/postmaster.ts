import { readFileSync, statSync } from 'node:fs';
import type { HomeLayout } from './home-layout.ts';
import { type RunningProcess, runningProcess } from './running-process.ts';

/** What the server's own status file and the list of processes say together. */
export type Postmaster =
  | { readonly outcome: 'none' }
  /** The file is there, the server is not: it is dead, or its pid now belongs to another program. */
  | { readonly outcome: 'stale'; readonly pid: number }
  /** Our server of this data folder. */
  | { readonly outcome: 'running'; readonly process: RunningProcess; readonly port: number; readonly ready: boolean }
  /** Some PostgreSQL that was not started by this package; it may well serve this folder. */
  | { readonly outcome: 'foreign'; readonly pid: number };

/**
 * Looks who serves a data folder. Format of the file: PostgreSQL's src/include/utils/pidfile.h (1 pid, 4 port, 8 status).
 */
export function findPostmaster(layout: HomeLayout): Postmaster {
  let lines: string[];
  let mark: string;
  try {
    lines = readFileSync(layout.postmasterFile, 'utf8').split('\n');
    mark = folderMark(layout.data);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return { outcome: 'none' };
    throw error;
  }
  const pid = Number(lines[0]);
  const found = Number.isInteger(pid) && pid > 0 ? runningProcess(pid) : null;
  if (found === null || found.program !== 'postgres') return { outcome: 'stale', pid };
  if (!found.commandLine.split(' ').includes(mark)) return { outcome: 'foreign', pid };
  return { outcome: 'running', process: found, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/**
 * An argument of our server that names its data folder: by inode, so that a folder that was moved is still known and a copy
 * of it is not taken for the original. It is a placeholder setting, which PostgreSQL accepts and ignores.
 */
export function folderMark(data: string): string {
  const { dev, ino } = statSync(data);
  return `mailroom.data_folder=${dev}:${ino}`;
}
