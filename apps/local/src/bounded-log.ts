import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '@mailroom/kernel';

/** A log file that cannot fill the disk: at `maxBytes` it becomes `<path>.1`, replacing the one before. */
export interface BoundedLog {
  readonly path: string;
  /** Appends one line. Never throws: a full disk costs the log, not the process. */
  readonly write: (line: string) => void;
  readonly close: () => void;
}

/** `onProblem` is told once, in words, when lines cannot be written. Throws when the file cannot be opened at all. */
export function openBoundedLog(path: string, maxBytes: number, onProblem: (problem: string) => void): BoundedLog {
  mkdirSync(dirname(path), { recursive: true });
  let file: number | null = openSync(path, 'a');
  let bytes = fstatSync(file).size;
  let problemTold = false;

  return { path, write, close };

  function write(line: string): void {
    if (file === null) return;
    try {
      if (bytes >= maxBytes) file = startOver(file);
      // Synchronous: the page cache takes it at once, nothing is lost at exit, and the order of lines is kept.
      bytes += writeSync(file, `${line}\n`);
    } catch (error) {
      if (!problemTold) onProblem(`${path} cannot be written: ${messageOf(error)}`);
      problemTold = true;
    }
  }

  function startOver(full: number): number {
    renameSync(path, `${path}.1`);
    const fresh = openSync(path, 'a');
    closeSync(full);
    bytes = 0;
    return fresh;
  }

  function close(): void {
    if (file !== null) closeSync(file);
    file = null;
  }
}
