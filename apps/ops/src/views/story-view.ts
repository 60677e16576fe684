import { formatEventKey } from '@mailroom/kernel';
import type { Effects } from '../queries/effects-of-event.ts';
import type { FailedAttempts } from '../queries/failed-attempts.ts';
import type { EventStory } from '../story/event-story.ts';
import { ago, instant, moment, spanOf } from '../terminal/span.ts';
import { writeFields, writeTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { visible } from '../terminal/visible.ts';
import { count } from './count.ts';
import { paintState } from './event-list-view.ts';
import { heading } from './heading.ts';

export function writeStory(terminal: Terminal, story: EventStory): void {
  const { event, explanation } = story;
  terminal.line(
    `${terminal.paint('bold', visible(formatEventKey(event)))}  ${visible(event.eventType)}  ${paintState(terminal, event.state)}`,
  );
  terminal.line();
  terminal.line(`  ${visible(explanation.text)}`);
  if (explanation.command !== null) terminal.line(`      ${terminal.paint('cyan', explanation.command)}`);
  writeRow(terminal, story);
  writeFailures(terminal, story.failures);
  writeEffects(terminal, story.effects, event.now);
}

function writeRow(terminal: Terminal, { event, body, duplicates }: EventStory): void {
  const { now } = event;
  const at = (time: Date | null) => (time === null ? null : moment(time, now));
  heading(terminal, 'Event');
  writeFields(
    terminal,
    [
      ['object', text(event.objectKey)],
      ['account', text(event.account)],
      ['live mode', event.livemode === null ? null : event.livemode ? 'yes' : 'no (test)'],
      ['API version', text(event.apiVersion)],
      ['verified with', text(event.secretLabel)],
      ['origin', event.origin],
      ['delivery', event.deliveryId + (event.itemPath === null ? '' : `, item ${visible(event.itemPath.join('.'))}`)],
      [
        'body',
        body === null
          ? terminal.paint('yellow', 'expired')
          : `${count(body.bytes)} bytes, ${visible(body.contentType ?? 'no content type')}, sha256 ${body.sha256}`,
      ],
      [
        'duplicates',
        duplicates === null
          ? 'none'
          : `came ${count(duplicates.deliveries)} times more, last ${moment(duplicates.lastAt, now)}`,
      ],
    ],
    '  ',
  );
  heading(terminal, 'Times');
  writeFields(
    terminal,
    [
      ['provider time', at(event.providerTime)],
      ['received', at(event.receivedAt)],
      ['due', event.state === 'pending' ? at(event.availableAt) : null],
      ['leased by', event.leasedBy === null ? null : `${visible(event.leasedBy)} until ${at(event.leasedUntil)}`],
      ['finished', at(event.processedAt)],
    ],
    '  ',
  );
  heading(terminal, 'Attempts');
  writeFields(
    terminal,
    [
      ['attempts', `${event.attempts} of ${event.maxAttempts}, ${event.totalAttempts} in its whole life`],
      ['infra retries', event.infraRetries === 0 ? null : count(event.infraRetries)],
      ['held by', text(event.heldBy)],
      ['reason', text(event.stateReason)],
      ['last error', text(event.lastError)],
      ['failure group', text(event.failureGroup)],
    ],
    '  ',
  );
}

function text(value: string | null): string | null {
  return value === null ? null : visible(value);
}

function writeFailures(terminal: Terminal, { attempts, more }: FailedAttempts): void {
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
  const frames = newest.stack.split('\n').filter((line) => line.trimStart().startsWith('at '));
  for (const frame of frames.slice(0, framesShown)) terminal.line(terminal.paint('dim', `  ${visible(frame)}`));
}

function writeEffects(terminal: Terminal, effects: Effects | null, now: Date): void {
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

function took(from: Date, to: Date): string {
  const ms = to.getTime() - from.getTime();
  return ms < 10_000 ? `${ms}ms` : spanOf(ms / 1000);
}

const framesShown = 6;
