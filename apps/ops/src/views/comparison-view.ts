import type { Seen } from '@mailroom/reconcile';
import type { Problem } from '../reconcile/reconcile-events.ts';
import type { StateReport } from '../reconcile/reconcile-state.ts';
import type { SubscriptionsReport } from '../reconcile/reconcile-subscriptions.ts';
import { placeOf } from '../reconcile/reconciliation.ts';
import { count } from '../terminal/count.ts';
import { writeTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { typed } from '../terminal/typed.ts';
import { visible } from '../terminal/visible.ts';

/** How the objects of the providers compare with ours. */
export function writeComparisons(terminal: Terminal, { comparisons, notAsked, failed }: StateReport): void {
  if (comparisons.length > 0) {
    writeTable(
      terminal,
      [
        { title: 'ENDPOINT' },
        { title: 'ACCOUNT' },
        { title: 'OBJECTS' },
        ...['COMPARED', 'DIFFERING', 'ON THE WAY', 'OPENED', 'CLOSED'].map((title) => ({
          title,
          align: 'right' as const,
        })),
      ],
      comparisons.map((each) => [
        placeOf(each),
        visible(each.account ?? ''),
        each.objects,
        count(each.compared),
        each.differing === 0 ? '0' : terminal.paint('red', count(each.differing)),
        count(each.onTheWay),
        count(each.opened.length),
        count(each.closed),
      ]),
    );
  }
  writeOpened(
    terminal,
    comparisons.flatMap(({ opened }) => opened),
  );
  writeProblems(terminal, notAsked, failed);
}

/** Whether the registrations at the providers are as they should be. */
export function writeRegistrations(terminal: Terminal, { checked, notAsked, failed }: SubscriptionsReport): void {
  const rows = checked.flatMap(({ wrong, ...each }) => {
    const cells = (verdict: string) => [placeOf(each), visible(each.url), count(each.registered), verdict];
    if (wrong.length === 0) return [cells(terminal.paint('green', 'fine'))];
    return wrong.map(({ kind, theirs }) => cells(terminal.paint('red', `${kind}: ${visible(theirs ?? '')}`)));
  });
  if (rows.length > 0) {
    writeTable(
      terminal,
      [{ title: 'ENDPOINT' }, { title: 'URL' }, { title: 'REGISTERED', align: 'right' }, { title: '' }],
      rows,
    );
  }
  writeProblems(terminal, notAsked, failed);
}

function writeOpened(terminal: Terminal, opened: readonly Seen[]): void {
  if (opened.length === 0) return;
  terminal.line();
  writeTable(
    terminal,
    [{ title: 'FOUND' }, { title: 'OBJECT' }, { title: 'OURS' }, { title: 'THEIRS' }],
    opened
      .slice(0, mostShown)
      .map(({ kind, objectKey, ours, theirs }) => [
        kind,
        visible(objectKey),
        visible(ours ?? '-'),
        visible(theirs ?? '-'),
      ]),
  );
  if (opened.length > mostShown) terminal.line(`and ${count(opened.length - mostShown)} more`);
  terminal.line();
  terminal.line(`See them with  ${typed('findings')}`);
}

function writeProblems(terminal: Terminal, notAsked: readonly Problem[], failed: readonly Problem[]): void {
  for (const { place, reason } of notAsked) terminal.note(`${place} is not reconciled: ${reason}`);
  for (const { place, reason } of failed)
    terminal.note(terminal.paint('red', `${visible(place)} failed: ${visible(reason)}`));
}

const mostShown = 20;
