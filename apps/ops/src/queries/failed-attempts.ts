import type { Tx } from '@mailroom/db';
import type { EventKey } from '@mailroom/kernel';

export interface FailedAttempt {
  readonly attempt: number;
  readonly worker: string;
  readonly release: string | null;
  /** Null: not known, for the worker died before it could say. */
  readonly startedAt: Date | null;
  readonly failedAt: Date;
  readonly class: string;
  readonly sqlstate: string | null;
  readonly message: string;
  readonly stack: string | null;
}

export interface FailedAttempts {
  /** Oldest first; the newest of them where there are more. */
  readonly attempts: readonly FailedAttempt[];
  readonly more: boolean;
}

/** By inbox_failures_of_event. */
export async function failedAttempts(tx: Tx, key: EventKey): Promise<FailedAttempts> {
  const newestFirst = await tx
    .selectFrom('inbox_failures')
    .select([
      'attempt',
      'worker',
      'release',
      'started_at as startedAt',
      'failed_at as failedAt',
      'class',
      'sqlstate',
      'message',
      'stack',
    ])
    .where('provider', '=', key.provider)
    .where('endpoint', '=', key.endpoint)
    .where('event_id', '=', key.eventId)
    .orderBy('failure_id', 'desc')
    .limit(atMost + 1)
    .execute();
  return { attempts: newestFirst.slice(0, atMost).toReversed(), more: newestFirst.length > atMost };
}

// Two full rounds of the default 25 attempts.
const atMost = 50;
