import type { Sink } from '@mailroom/outbox';
import { envelopeOf } from '../envelope.ts';
import { judgeAnswer } from './judge-answer.ts';
import { createPoster } from './post.ts';
import { signatureHeaders } from './sign.ts';

export interface HttpSinkOptions {
  readonly name: string;
  readonly url: URL;
  /** The signing keys that are valid now, decoded, at least one; asked for at every attempt. */
  readonly keys: (nowMs: number) => readonly Uint8Array[];
  /** Put before the outbox id, for receivers that several Mailrooms send to. */
  readonly idPrefix: string;
  readonly connectTimeoutMs: number;
  /** For a whole attempt. */
  readonly timeoutMs: number;
  readonly allowPrivateAddresses: boolean;
  /** Statuses that no further attempt can change. */
  readonly giveUpOn: readonly number[];
}

/**
 * Posts each message as JSON, signed as the Standard Webhooks specification says. `webhook-id` is the same at every attempt;
 * `mailroom-fencing-token` grows with every claim, so that a receiver can refuse a sender that was relieved.
 */
export function createHttpSink(options: HttpSinkOptions): Sink {
  const poster = createPoster(options);
  return {
    name: options.name,
    send: async (message, signal) => {
      const nowMs = Date.now();
      const id = options.idPrefix + message.id;
      const keys = options.keys(nowMs);
      if (keys.length === 0) return { outcome: 'transient', reason: 'no signing secret of the sink is valid now' };
      const body = envelopeOf(message, id);
      const headers = {
        ...signatureHeaders({ id, body, nowMs }, keys),
        'content-type': 'application/json',
        'user-agent': 'Mailroom',
        'mailroom-fencing-token': message.fencingToken,
        'mailroom-attempt': String(message.attempt),
      };
      return judgeAnswer(await poster.post(body, headers, signal), options.giveUpOn, nowMs);
    },
    close: () => {
      poster.close();
      return Promise.resolve();
    },
  };
}
