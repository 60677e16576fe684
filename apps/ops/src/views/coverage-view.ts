import type { CoverageRow, SweptEndpoint } from '@mailroom/reconcile';
import { placeOf } from '../reconcile/reconciliation.ts';
import { count } from '../terminal/count.ts';
import { instant, moment } from '../terminal/span.ts';
import { writeTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { typed } from '../terminal/typed.ts';
import { visible } from '../terminal/visible.ts';

export function writeCoverage(
  terminal: Terminal,
  rows: readonly CoverageRow[],
  swept: readonly SweptEndpoint[],
  byType: boolean,
): void {
  if (rows.length > 0) {
    writeTable(
      terminal,
      [
        { title: 'HOUR' },
        { title: 'ENDPOINT' },
        ...(byType ? [{ title: 'TYPE' }] : []),
        ...['EXPECTED', 'WEBHOOK', 'LATE', 'INJECTED'].map((title) => ({ title, align: 'right' as const })),
        { title: '' },
      ],
      rows.map((row) => [
        instant(row.hour),
        placeOf(row),
        ...(byType ? [visible(row.eventType)] : []),
        count(row.expected),
        count(row.received),
        loud(terminal, row.late),
        loud(terminal, row.injected),
        verdictOf(terminal, row),
      ]),
    );
  } else terminal.note('no hour matches');
  if (swept.length === 0) {
    terminal.note(`Nothing has been swept yet: ${typed('reconcile events')}`);
    return;
  }
  terminal.line();
  const now = new Date();
  for (const each of swept) terminal.line(`${placeOf(each)} is swept until ${moment(each.sweptUntil, now)}`);
}

function loud(terminal: Terminal, events: number): string {
  return events === 0 ? '0' : terminal.paint('yellow', count(events));
}

function verdictOf(terminal: Terminal, { expected, received, late, injected }: CoverageRow): string {
  const missing = expected - received - late - injected;
  if (missing > 0) return terminal.paint('red', `${count(missing)} missing`);
  if (injected === 0) return '';
  return terminal.paint('yellow', received + late === 0 ? 'outage, repaired' : 'hole, repaired');
}
