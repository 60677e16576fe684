import type { SendResult } from '@mailroom/outbox';
import type { Answer } from './post.ts';
import { retryAfterMs } from './retry-after.ts';

/**
 * What an answer means: 2xx is sent, a status of `giveUpOn` is for a person, everything else is tried again. A redirect is not followed:
 * the signature was for the receiver that was configured, and the new one may be inside the own network.
 */
export function judgeAnswer(
  { status, retryAfter, excerpt }: Answer,
  giveUpOn: readonly number[],
  nowMs: number,
): SendResult {
  if (status >= 200 && status < 300) return { outcome: 'sent', result: { status } };
  const said = excerpt.trim() === '' ? '' : `: ${excerpt.trim()}`;
  const reason =
    status >= 300 && status < 400
      ? `answered ${status}, a redirect, which is not followed`
      : `answered ${status}${said}`;
  if (giveUpOn.includes(status)) return { outcome: 'permanent', reason };
  const pauseMs = retryAfterMs(retryAfter, nowMs);
  return { outcome: 'transient', reason, ...(pauseMs !== undefined && { retryAfterMs: pauseMs }) };
}
