import type { FailedAttempts } from '../queries/failed-attempts.ts';
import { instant, spanOf } from '../terminal/span.ts';
import { writeTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { visible } from '../terminal/visible.ts';
import { heading } from './heading.ts';

export function writeFailedAttempts(terminal: Terminal, { attempts, more }: FailedAttempts): void {
  const newest = attempts.at(-1);
  if (newest === undefined) return;
  heading(terminal, 'Failed attempts', more ? `the newest ${attempts.length}` : 'oldest first');
  writeTable(
    terminal,
    [
      { title: '#', align: 'right' },
      { title: 'WHEN' },
      { title: 'TOOK', align: 'right' },
      { title: 'WORKER' },
      { title: 'RELEASE' },
      { title: 'CLASS' },
      { title: 'MESSAGE' },
    ],
    attempts.map((failed) => [
      String(failed.attempt),
      instant(failed.failedAt),
      failed.startedAt === null ? '-' : took(failed.startedAt, failed.failedAt),
      visible(failed.worker),
      visible(failed.release ?? '-'),
      failed.sqlstate === null ? visible(failed.class) : `${visible(failed.class)} ${failed.sqlstate}`,
      visible(failed.message),
    ]),
    '  ',
  );
  if (newest.stack === null) return;
  terminal.line();
  for (const frame of telling(newest.stack)) terminal.line(terminal.paint('dim', `  ${visible(frame)}`));
}

/** The frames of our own code, where there are any: what a driver and Node did inside tells nobody anything. */
function telling(stack: string): readonly string[] {
  const frames = stack.split('\n').filter((line) => line.trimStart().startsWith('at '));
  const ours = frames.filter((frame) => !frame.includes('/node_modules/') && !frame.includes('node:internal'));
  return (ours.length > 0 ? ours : frames).slice(0, framesShown);
}

function took(from: Date, to: Date): string {
  const ms = to.getTime() - from.getTime();
  return ms < 10_000 ? `${ms}ms` : spanOf(ms / 1000);
}

const framesShown = 6;
