import { createHash } from 'node:crypto';
import { withoutOptions } from '../configure.ts';
import type { Provider } from '../provider.ts';
import { secretProblem } from './keys.ts';
import { readStandardWebhook, readsHeaders } from './read.ts';
import { samples } from './samples.ts';
import { signStandardWebhook, verifyStandardWebhook } from './signature.ts';

/** Everybody who sends by the Standard Webhooks specification or through Svix. */
export const standardWebhooks: Provider = {
  name: 'standard-webhooks',
  title: 'Standard Webhooks and Svix',
  facts: {
    // The sender's own choice. Svix tries for 27.6 hours, the schedule of the specification's example for 75.6.
    retryWindowMs: null,
    replayWindowMs: null,
    // The specification advises senders to wait 15 to 30 s.
    answerLimitMs: 15_000,
    batch: null,
    signature:
      '`webhook-signature` or `svix-signature`: v1 HMAC-SHA256, v1a ed25519, of `id.timestamp.body`, base64, several in a line',
    signsTime: true,
    eventId: '`webhook-id` or `svix-id`, which is signed',
    eventType: '`type`, else `untyped`',
    objectKey: '`data.id` and the type without its last word',
    providerTime: '`timestamp` of the body',
    success: 'any 2xx',
    handshake: null,
    secret: '`whsec_` with base64, for v1a the public key `whpk_` with base64',
    sources: [
      'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
      'https://docs.svix.com/receiving/verifying-payloads/how-manual',
      'https://docs.svix.com/retries',
    ],
  },
  configure: withoutOptions({
    verify: verifyStandardWebhook,
    read: readStandardWebhook,
    readsHeaders,
    secretProblem,
    sign: (body, secret, nowMs) => signStandardWebhook(body, secret, nowMs, idOf(body)),
  }),
  samples,
  example: {
    options: {},
    secrets: ['whsec_ZXhhbXBsZSBvZiBhIHNlY3JldCwgMzIgYnl0ZXM=', 'whsec_YW5vdGhlciBzZWNyZXQsIGFsc28gMzIgYnl0ZXM='],
  },
};

/** A sender makes ids up; one that follows from the body makes a sample sent twice one event. */
function idOf(body: Buffer): string {
  return `msg_${createHash('sha256').update(body).digest('hex').slice(0, 27)}`;
}
