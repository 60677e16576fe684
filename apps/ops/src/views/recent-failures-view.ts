import type { StatusReport } from '../status/status-report.ts';
import { count } from '../terminal/count.ts';
import { ago } from '../terminal/span.ts';
import { writeTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { typed } from '../terminal/typed.ts';
import { visible } from '../terminal/visible.ts';
import { heading } from './heading.ts';

export function writeRecentFailures(terminal: Terminal, { failures, at }: StatusReport): void {
  if (failures.groups.length === 0) {
    heading(terminal, 'Failures of the last hour', 'none');
    return;
  }
  heading(terminal, 'Failures of the last hour', failures.capped ? `the newest ${count(failures.attempts)} only` : '');
  writeTable(
    terminal,
    [
      { title: 'ATTEMPTS', align: 'right' },
      { title: 'EVENTS', align: 'right' },
      { title: 'LAST' },
      { title: 'CLASS' },
      { title: 'MESSAGE' },
    ],
    failures.groups
      .slice(0, groupsShown)
      .map((group) => [
        count(group.attempts),
        count(group.events),
        ago(group.lastAt, at),
        group.sqlstate === null ? visible(group.class) : `${visible(group.class)} ${group.sqlstate}`,
        visible(group.message),
      ]),
    '  ',
  );
  const hidden = failures.groups.length - groupsShown;
  if (hidden > 0) terminal.line(`  and ${count(hidden)} kinds more; ${typed('status --json')} has them all`);
}

const groupsShown = 8;
