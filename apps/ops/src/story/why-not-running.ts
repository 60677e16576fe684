import { type Handler, parkedHandlers } from '@mailroom/domain';
import { formatEventKey } from '@mailroom/kernel';
import type { EventRow } from '../queries/event-row.ts';
import type { QueuePosition } from '../queries/queue-position.ts';
import { count } from '../terminal/count.ts';
import { ago, spanOf } from '../terminal/span.ts';
import { shellWord, typed } from '../terminal/typed.ts';

/** Why nobody works on an event at this moment, or who does, and what would change that. */
export interface Explanation {
  /** Stable, for programs. */
  readonly code:
    | 'running'
    | 'lease_expired'
    | 'due'
    | 'backing_off'
    | 'scheduled'
    | 'held'
    | 'exhausted'
    | 'rejected'
    | 'parked'
    | 'quarantined'
    | 'finished'
    | 'unknown_state';
  readonly text: string;
  /** What to type, where that helps. */
  readonly command: string | null;
}

type BegunHandler = Pick<Handler, 'provider' | 'eventType' | 'parked'>;

/** `queue` is known for due events only; `begun` are the handlers that are not written yet. */
export function whyNotRunning(
  event: EventRow,
  queue: QueuePosition | null,
  begun: readonly BegunHandler[] = parkedHandlers,
): Explanation {
  const because = event.stateReason === null ? '' : ` Reason: ${event.stateReason}.`;
  switch (event.state) {
    case 'pending':
      return whyPending(event, queue);
    case 'held':
      return plain(
        'held',
        `Held by ${event.heldBy ?? 'an operator'}.${because} A pause ends with ${typed('resume')}; an event that waits for its object goes on by itself.`,
      );
    case 'exhausted':
      return {
        code: 'exhausted',
        text: `Used ${event.attempts} of ${event.maxAttempts} attempts.${because} Nothing runs it again by itself.`,
        command: retryCommandFor(event),
      };
    case 'rejected':
      return {
        code: 'rejected',
        text: `A handler rejected it for good.${because} Retry it only after the handler or its data changed.`,
        command: retryCommandFor(event),
      };
    case 'parked':
      return plain('parked', `${whyParked(event, begun)} A worker that has one takes it up by itself.`);
    case 'quarantined':
      return {
        code: 'quarantined',
        text: `Correctly signed, but its body could not be read.${because} It waits for a reader that can.`,
        command: typed(`reparse ${shellWord(formatEventKey(event))} --reason 'what was mended'`),
      };
    case 'processed':
      return plain('finished', 'Done: its effect is committed. It never runs again.');
    case 'ignored':
      return plain('finished', `Done: a handler decided there is nothing to do.${because} It never runs again.`);
    default:
      return plain(
        'unknown_state',
        `This program does not know the state "${event.state}"; it is older than the database.`,
      );
  }
}

function whyParked({ provider, eventType }: EventRow, begun: readonly BegunHandler[]): string {
  const handler = begun.find((candidate) => candidate.provider === provider && candidate.eventType === eventType);
  const none = `No handler for ${eventType} of ${provider} when a worker looked.`;
  return handler ? `${none} One is begun, in which stands: ${handler.parked}.` : none;
}

function whyPending(event: EventRow, queue: QueuePosition | null): Explanation {
  const { now, leasedBy, leasedUntil } = event;
  const attempt = `attempt ${event.attempts} of ${event.maxAttempts}`;
  if (leasedBy !== null && leasedUntil !== null) {
    if (leasedUntil > now) {
      return plain(
        'running',
        `${leasedBy} has it, ${attempt}. Its lease runs out ${ago(leasedUntil, now)} unless renewed.`,
      );
    }
    return plain(
      'lease_expired',
      `${leasedBy} took it (${attempt}) and never came back; its lease ran out ${ago(leasedUntil, now)}. ` +
        'The next claim takes it over. If that does not happen, no worker is running.',
    );
  }
  if (event.availableAt > now) {
    const when = ago(event.availableAt, now);
    if (event.totalAttempts === 0) return plain('scheduled', `Not due yet: it may run ${when}.`);
    return {
      code: 'backing_off',
      text: `Not due yet: after ${event.attempts} of ${event.maxAttempts} attempts it is tried again ${when}.`,
      command: retryCommandFor(event),
    };
  }
  const due = spanOf((now.getTime() - event.availableAt.getTime()) / 1000);
  return plain(
    'due',
    `Due for ${due} and waiting for a free worker; ${aheadOf(queue)}. If that stays, no worker is running.`,
  );
}

function aheadOf(queue: QueuePosition | null): string {
  if (queue === null || queue.ahead === 0) return 'it is first in the queue';
  return `${queue.atLeast ? 'at least ' : ''}${count(queue.ahead)} due events come before it`;
}

function retryCommandFor(event: EventRow): string {
  return typed(`retry ${shellWord(formatEventKey(event))} --reason 'what was mended'`);
}

function plain(code: Explanation['code'], text: string): Explanation {
  return { code, text, command: null };
}
