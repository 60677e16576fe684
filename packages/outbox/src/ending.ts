import { type BackoffPolicy, fullJitterMs, type JsonValue, messageOf } from '@mailroom/kernel';
import type { OutgoingMessage, RecordRows, SendResult } from './sink.ts';
import { writeJson } from './write-json.ts';

/** What is written about one attempt at a message. */
export interface Ending {
  readonly message: OutgoingMessage;
  readonly state: 'published' | 'pending' | 'needs_review' | 'unrouted';
  /** The attempt is given back. */
  readonly refund: boolean;
  readonly delayMs: number;
  /** JSON text. */
  readonly result: string | null;
  readonly error: string | null;
  /** What the sink writes in the same transaction. */
  readonly record: RecordRows | null;
}

export interface OutboxRetryPolicy {
  readonly backoff: BackoffPolicy;
  readonly maxAttempts: number;
}

/** What a sink's answer means for the row. */
export function endingOf(message: OutgoingMessage, sent: SendResult, policy: OutboxRetryPolicy): Ending {
  const common = { message, refund: false, delayMs: 0, result: null, error: null, record: null };
  switch (sent.outcome) {
    case 'sent':
      return { ...common, state: 'published', result: resultText(sent.result), record: sent.record ?? null };
    case 'permanent':
      return { ...common, state: 'needs_review', error: storable(sent.reason), record: sent.record ?? null };
    case 'postponed': {
      const delayMs = Math.min(longestDelayMs, Math.max(0, sent.delayMs));
      return { ...common, state: 'pending', refund: true, delayMs, error: storable(sent.reason) };
    }
    case 'transient': {
      if (message.attempt >= policy.maxAttempts) {
        return { ...common, state: 'needs_review', error: storable(`attempts used up: ${sent.reason}`) };
      }
      const wanted = Math.max(fullJitterMs(policy.backoff, message.attempt), sent.retryAfterMs ?? 0);
      return {
        ...common,
        state: 'pending',
        delayMs: Math.min(longestDelayMs, wanted),
        error: storable(sent.reason),
      };
    }
  }
}

/** No sink takes its topic. */
export function unrouted(message: OutgoingMessage): Ending {
  const error = `no sink takes the topic ${message.topic}`;
  return { message, state: 'unrouted', refund: true, delayMs: 0, result: null, error, record: null };
}

/** What a thrown error means. */
export function thrown(error: unknown): SendResult {
  return { outcome: 'transient', reason: messageOf(error) };
}

function resultText(result: JsonValue | undefined): string | null {
  // jsonb refuses U+0000 and lone surrogates, and a message that was sent must not be sent again for the sake of its result.
  return result === undefined ? null : writeJson(result).replaceAll(/\\u(0000|d[89a-f][0-9a-f]{2})/gi, '\\ufffd');
}

/** Text that PostgreSQL takes in `last_error`. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed().slice(0, 2_000).toWellFormed() || 'no reason given';
}

// A receiver may ask for any pause; nobody expects a message to lie for longer than a day without a look.
const longestDelayMs = 86_400_000;
