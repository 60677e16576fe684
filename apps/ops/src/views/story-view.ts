import { formatEventKey } from '@mailroom/kernel';
import type { SameBody } from '../queries/same-body.ts';
import type { EventStory } from '../story/event-story.ts';
import { count } from '../terminal/count.ts';
import { moment } from '../terminal/span.ts';
import { writeFields } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { visible } from '../terminal/visible.ts';
import { writeEffects } from './effects-view.ts';
import { paintState } from './event-list-view.ts';
import { writeFailedAttempts } from './failed-attempts-view.ts';
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
  writeFailedAttempts(terminal, story.failures);
  writeEffects(terminal, story.effects, event.now);
}

function writeRow(terminal: Terminal, { event, body, duplicates, sameBody }: EventStory): void {
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
          : `came ${duplicates.deliveries === 1 ? 'once' : `${count(duplicates.deliveries)} times`} more, last ${moment(duplicates.lastAt, now)}`,
      ],
      ['same bytes', sameBytes(terminal, sameBody)],
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

/** The id of such an event is not signed: whoever has its bytes can send them again under an id of their own. */
function sameBytes(terminal: Terminal, sameBody: SameBody | null): string | null {
  if (sameBody === null) return null;
  const { eventIds, more } = sameBody;
  if (eventIds.length === 0) return 'came under no other event id';
  const ids = eventIds.map(visible).join(', ');
  const under = `${more ? 'more than ' : ''}${count(eventIds.length)} other event ${eventIds.length === 1 ? 'id' : 'ids'}`;
  return terminal.paint('yellow', `came under ${under}: ${ids}`);
}

function text(value: string | null): string | null {
  return value === null ? null : visible(value);
}
