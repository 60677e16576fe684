import { type Logger, messageOf } from '@mailroom/kernel';
import { type Ending, endingOf, type OutboxRetryPolicy, unrouted } from './ending.ts';
import type { HeldClaims } from './held-claims.ts';
import type { Recorded, Recorder } from './recorder.ts';
import type { FindSink } from './routes.ts';
import { sendInTime } from './send.ts';
import type { OutgoingMessage } from './sink.ts';

/** How an attempt at a message ended. */
export type SendOutcome = 'sent' | 'retried' | 'postponed' | 'needs_review' | 'unrouted' | 'stale' | 'not_recorded';

/** What the relay tells the metrics. */
export interface RelayObserver {
  /** `sink` is null where no sink takes the topic. */
  finished(message: OutgoingMessage, sink: string | null, outcome: SendOutcome, durationMs: number): void;
}

export interface LineOptions {
  readonly findSink: FindSink;
  readonly held: HeldClaims;
  readonly recorder: Recorder;
  readonly giveBack: (messages: readonly OutgoingMessage[]) => Promise<unknown>;
  readonly retry: OutboxRetryPolicy;
  readonly sendTimeoutMs: number;
  readonly stopping: AbortSignal;
  readonly log: Logger;
  readonly observe: RelayObserver;
}

/** Sends claimed messages of one aggregate in turn; what comes after one that was not sent is given back. Never throws. */
export async function sendLine(line: readonly OutgoingMessage[], options: LineOptions): Promise<void> {
  for (const [index, message] of line.entries()) {
    const begins = options.held.isOurs(message) && !options.stopping.aborted;
    if (begins && (await sendOne(message, options))) continue;
    await giveBackRest(line.slice(begins ? index + 1 : index), options);
    return;
  }
}

/** Answers whether the next of the aggregate may go. */
async function sendOne(message: OutgoingMessage, options: LineOptions): Promise<boolean> {
  const startedAt = performance.now();
  const sink = options.findSink(message.topic);
  const ending = sink
    ? endingOf(
        message,
        await sendInTime(sink, message, options.held.signalOf(message), options.sendTimeoutMs),
        options.retry,
      )
    : unrouted(message);
  const recording = options.recorder.record(ending).then((recorded) => {
    options.held.release([message]);
    report(options, message, sink?.name ?? null, recorded, Math.round(performance.now() - startedAt));
    return recorded;
  });
  // The next may go while a message that was sent is being recorded with others. Rows of an effect's own must be there before it.
  if (ending.state === 'published' && ending.record === null) return true;
  const recorded = await recording;
  return recorded.outcome === 'recorded' && goesOn.has(recorded.ending.state);
}

const goesOn: ReadonlySet<Ending['state']> = new Set(['published', 'unrouted']);

async function giveBackRest(rest: readonly OutgoingMessage[], options: LineOptions): Promise<void> {
  const ours = rest.filter((message) => options.held.isOurs(message));
  options.held.release(rest);
  if (ours.length === 0) return;
  try {
    await options.giveBack(ours);
  } catch (error) {
    // Their leases run out.
    options.log.warn('outbox_claim_failed', { error: messageOf(error) });
  }
}

function report(
  { log, observe }: LineOptions,
  message: OutgoingMessage,
  sink: string | null,
  recorded: Recorded,
  durationMs: number,
): void {
  const outcome = recorded.outcome === 'recorded' ? outcomeOf(recorded.ending) : recorded.outcome;
  const { id, topic, aggregate, attempt } = message;
  observe.finished(message, sink, outcome, durationMs);
  const error = recorded.outcome === 'recorded' ? recorded.ending.error : null;
  log[levels[outcome]]('message_sent', {
    message: id,
    topic,
    aggregate,
    attempt,
    sink,
    outcome,
    duration_ms: durationMs,
    ...(error !== null && { error }),
  });
}

function outcomeOf({ state, refund }: Ending): SendOutcome {
  switch (state) {
    case 'published':
      return 'sent';
    case 'pending':
      return refund ? 'postponed' : 'retried';
    case 'needs_review':
    case 'unrouted':
      return state;
  }
}

const levels = {
  sent: 'info',
  postponed: 'info',
  retried: 'warn',
  unrouted: 'warn',
  stale: 'warn',
  needs_review: 'error',
  not_recorded: 'error',
} as const satisfies Record<SendOutcome, keyof Logger>;
