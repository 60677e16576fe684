import type { Effects } from '../queries/effects-of-event.ts';
import { ago, moment } from '../terminal/span.ts';
import { writeFields, writeTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { visible } from '../terminal/visible.ts';
import { heading } from './heading.ts';

export function writeEffects(terminal: Terminal, effects: Effects | null, now: Date): void {
  if (effects === null) {
    heading(terminal, 'What came from it', 'not searched: the tables are too large to search in 5 s');
    return;
  }
  const lines: (readonly [string, string])[] = [
    ...effects.ledgerEntries.map(
      (entry) =>
        [
          'ledger entry',
          `${entry.entryId}: ${entry.kind} of ${entry.amount} ${entry.currency} for ${visible(entry.invoiceId)}, ${ago(entry.bookedAt, now)}`,
        ] as const,
    ),
    ...effects.outbox.map(
      (message) =>
        [
          'outbox',
          `${message.outboxId}: ${visible(message.topic)} about ${visible(message.aggregate)}, ${message.state}` +
            (message.lastError === null ? '' : `: ${visible(message.lastError)}`),
        ] as const,
    ),
    ...effects.anomalies.map(
      (anomaly) =>
        [
          'anomaly',
          `${visible(anomaly.kind)} about ${visible(anomaly.objectKey)}, ${ago(anomaly.seenAt, now)}, ${anomaly.closedAt === null ? 'open' : 'closed'}`,
        ] as const,
    ),
  ];
  heading(terminal, 'What came from it', lines.length === 0 ? 'no ledger entry, outbox message or anomaly' : '');
  writeFields(terminal, lines, '  ');
  if (effects.operatorActions.length === 0) return;
  heading(terminal, 'Operator actions');
  writeTable(
    terminal,
    [{ title: 'WHEN' }, { title: 'WHO' }, { title: 'WHAT' }, { title: 'WHY' }],
    effects.operatorActions.map((action) => [
      moment(action.at, now),
      visible(action.actor),
      action.changed ? visible(action.action) : `${visible(action.action)}, refused`,
      visible(action.reason),
    ]),
    '  ',
  );
}
