import type { UnroutedTopic, UnsentMessage } from '../queries/unsent-messages.ts';
import { count } from '../terminal/count.ts';
import { ago } from '../terminal/span.ts';
import { writeTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { visible } from '../terminal/visible.ts';
import { heading } from './heading.ts';

export function writeUnsent(
  terminal: Terminal,
  { messages, unrouted, now }: { messages: readonly UnsentMessage[]; unrouted: readonly UnroutedTopic[]; now: Date },
): void {
  if (messages.length > 0) {
    writeTable(
      terminal,
      [
        { title: 'ID' },
        { title: 'STATE' },
        { title: 'TOPIC' },
        { title: 'AGGREGATE' },
        { title: 'ATTEMPTS', align: 'right' },
        { title: 'BEHIND', align: 'right' },
        { title: 'NEXT' },
        { title: 'WHY' },
      ],
      messages.map((message) => [
        message.id,
        message.state === 'needs_review' ? terminal.paint('red', message.state) : message.state,
        visible(message.topic),
        visible(message.aggregate),
        count(message.attempts),
        message.behind >= 1000 ? '1,000+' : count(message.behind),
        nextOf(message, now),
        visible(message.lastError ?? ''),
      ]),
    );
  }
  if (unrouted.length === 0) return;
  heading(terminal, 'No sink takes');
  writeTable(
    terminal,
    [{ title: 'TOPIC' }, { title: 'MESSAGES', align: 'right' }, { title: 'OLDEST ID' }],
    unrouted.map(({ topic, messages: waiting, oldestId }) => [visible(topic), count(waiting), oldestId]),
    '  ',
  );
}

function nextOf({ state, claimedBy, claimedUntil, availableAt }: UnsentMessage, now: Date): string {
  if (state === 'needs_review') return 'a person';
  if (claimedBy !== null && claimedUntil !== null) {
    return claimedUntil > now ? `being sent by ${visible(claimedBy)}` : `lease of ${visible(claimedBy)} ran out`;
  }
  return availableAt > now ? ago(availableAt, now) : 'due';
}
