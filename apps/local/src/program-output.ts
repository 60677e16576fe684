import { join } from 'node:path';
import { type BoundedLog, openBoundedLog } from './bounded-log.ts';
import { noteworthy } from './log-line.ts';
import type { Notices } from './notices.ts';

/** Takes the lines of one program: all of them into its log file, warnings and errors onto the screen. */
export interface ProgramOutput {
  readonly line: (line: string) => void;
  readonly close: () => void;
}

export function openProgramOutput(logFolder: string, name: string, notices: Notices): ProgramOutput {
  const log: BoundedLog = openBoundedLog(join(logFolder, `${name}.log`), maxLogBytes, (problem) =>
    notices.add('local', problem),
  );
  return {
    line: (line) => {
      log.write(line);
      const seen = noteworthy(line);
      if (seen !== null) notices.add(name, seen);
    },
    close: log.close,
  };
}

// Two of these a program: some 100,000 attempts, and no disk is filled by a start that was forgotten over the weekend.
const maxLogBytes = 20 * 1024 * 1024;
