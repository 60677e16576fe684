import type { EventsReport } from '../reconcile/reconcile-events.ts';
import { placeOf } from '../reconcile/reconciliation.ts';
import { count } from '../terminal/count.ts';
import { instant } from '../terminal/span.ts';
import { writeTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { visible } from '../terminal/visible.ts';

/** What a run over the events has found and done. */
export function writeSweeps(terminal: Terminal, { dryRun, sweeps, notAsked, failed }: EventsReport): void {
  const missing = dryRun ? 'MISSING' : 'INJECTED';
  if (sweeps.length > 0) {
    writeTable(
      terminal,
      [
        { title: 'ENDPOINT' },
        { title: 'ACCOUNT' },
        { title: 'FROM' },
        { title: 'UNTIL' },
        ...['EXPECTED', 'HAD', missing].map((title) => ({ title, align: 'right' as const })),
        { title: '' },
      ],
      sweeps.map((sweep) => [
        placeOf(sweep),
        visible(sweep.account ?? ''),
        instant(sweep.window.since),
        instant(sweep.window.until),
        count(sweep.expected),
        count(sweep.had),
        sweep.missing === 0 ? '0' : terminal.paint('yellow', count(sweep.missing)),
        sweep.stopped ? 'stopped; the next run goes on' : '',
      ]),
    );
  }
  const types = missingTypes(sweeps);
  if (types.length > 0) {
    terminal.line();
    writeTable(
      terminal,
      [{ title: 'TYPE' }, { title: missing, align: 'right' }],
      types.map(([type, events]) => [visible(type), count(events)]),
    );
    terminal.line();
    if (dryRun) terminal.line('Nothing was written. Without --dry-run these come in, and workers handle them.');
    else terminal.line('They are in the inbox with origin reconcile; workers handle them like any other.');
  }
  for (const { place, reason } of notAsked) terminal.note(`${place} is not reconciled: ${reason}`);
  for (const { place, reason } of failed) {
    terminal.note(terminal.paint('red', `${visible(place)} failed: ${visible(reason)}`));
  }
}

function missingTypes(sweeps: EventsReport['sweeps']): readonly (readonly [string, number])[] {
  const types = new Map<string, number>();
  for (const { missingByType } of sweeps) {
    for (const [type, events] of Object.entries(missingByType)) types.set(type, (types.get(type) ?? 0) + events);
  }
  return [...types].toSorted(([, a], [, b]) => b - a);
}
