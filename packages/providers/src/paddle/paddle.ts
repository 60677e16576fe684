import { withoutOptions } from '../configure.ts';
import { hmacScheme } from '../declarative/hmac-scheme.ts';
import type { Provider } from '../provider.ts';
import { secretFormProblem } from '../secret-form.ts';
import { samples } from './samples.ts';

/**
 * Paddle Billing. Its own library allows 5 s between signing and receipt, and looks at the last `h1` only; here the
 * tolerance is the endpoint's, and every `h1` counts.
 */
export const paddle: Provider = {
  name: 'paddle',
  title: 'Paddle Billing',
  facts: {
    retryWindowMs: 3 * 86_400_000,
    replayWindowMs: null,
    answerLimitMs: 5000,
    batch: null,
    signature: '`Paddle-Signature: ts=;h1=`, HMAC-SHA256 of `ts:body`, hex',
    signsTime: true,
    eventId: '`event_id`; `notification_id` differs from one destination to the next',
    eventType: '`event_type`',
    objectKey: '`data.id`',
    providerTime: '`occurred_at`',
    success: '200',
    handshake: null,
    secret: 'the secret key of the notification destination, whole',
    sources: ['https://developer.paddle.com/webhooks/signature-verification'],
  },
  configure: withoutOptions(
    hmacScheme(
      {
        signature: {
          header: 'paddle-signature',
          separator: ';',
          tag: 'h1=',
          algorithm: 'sha256',
          encoding: 'hex',
          content: '{timestamp}:{body}',
        },
        timestamp: { tag: 'ts=', unit: 's' },
        event: { id: '{event_id}', type: '{event_type}', object: '{data.id}', time: '{occurred_at}' },
      },
      (value) => secretFormProblem(value, { prefix: 'pdl_ntfset_', minLength: 16 }),
    ),
  ),
  samples,
  example: {
    options: {},
    secrets: ['pdl_ntfset_01example_aaaaaaaaaaaaaaaa', 'pdl_ntfset_02example_bbbbbbbbbbbbbbbb'],
  },
};
