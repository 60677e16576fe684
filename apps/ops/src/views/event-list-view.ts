import { formatEventKey } from '@mailroom/kernel';
import type { EventSummary } from '../queries/event-summary.ts';
import { ago, spanOf } from '../terminal/span.ts';
import { writeTable } from '../terminal/table.ts';
import type { Style, Terminal } from '../terminal/terminal.ts';
import { visible } from '../terminal/visible.ts';

export function writeEventList(terminal: Terminal, events: readonly EventSummary[], now: Date): void {
  writeTable(
    terminal,
    [
      { title: 'KEY' },
      { title: 'TYPE' },
      { title: 'STATE' },
      { title: 'ATTEMPTS', align: 'right' },
      { title: 'RECEIVED' },
      { title: 'WHAT IT WAITS FOR, OR WHY' },
    ],
    events.map((event) => [
      visible(formatEventKey(event)),
      visible(event.eventType),
      paintState(terminal, event.state),
      `${event.attempts}/${event.maxAttempts}`,
      ago(event.receivedAt, now),
      visible(remark(event, now)),
    ]),
  );
}

export function paintState(terminal: Terminal, state: string): string {
  const style = stateStyles.get(state);
  return style === undefined ? state : terminal.paint(style, state);
}

function remark(event: EventSummary, now: Date): string {
  const parts: string[] = [];
  if (event.leasedBy !== null && event.leasedUntil !== null) {
    parts.push(event.leasedUntil > now ? `leased by ${event.leasedBy}` : `lease of ${event.leasedBy} expired`);
  } else if (event.state === 'pending') {
    parts.push(
      event.availableAt > now
        ? `due ${ago(event.availableAt, now)}`
        : `due for ${spanOf((now.getTime() - event.availableAt.getTime()) / 1000)}`,
    );
  }
  if (event.heldBy !== null) parts.push(`by ${event.heldBy}`);
  if (event.state === 'parked' && event.stateReason === null) parts.push('no handler for the type');
  if (event.stateReason !== null) parts.push(event.stateReason);
  if (event.lastError !== null && event.lastError !== event.stateReason) parts.push(event.lastError);
  return parts.join('; ');
}

const stateStyles = new Map<string, Style>([
  ['pending', 'cyan'],
  ['held', 'yellow'],
  ['exhausted', 'red'],
  ['rejected', 'red'],
  ['parked', 'yellow'],
  ['quarantined', 'red'],
  ['processed', 'green'],
  ['ignored', 'dim'],
]);
