import { withoutOptions } from '../configure.ts';
import type { Provider } from '../provider.ts';
import { credentialsProblem } from './credentials.ts';
import { readMarqeta } from './read.ts';
import { samples } from './samples.ts';
import { signMarqeta, verifyMarqeta } from './signature.ts';

/** Marqeta's Core API webhooks. Its gateway (just-in-time funding) asks questions and is another thing. */
export const marqeta: Provider = {
  name: 'marqeta',
  title: 'Marqeta',
  facts: {
    // Ten retries, 4, 16, ... 4^10 seconds apart: 16.18 days. Marqeta itself says "up to two weeks".
    retryWindowMs: 1_398_100_000,
    replayWindowMs: null,
    answerLimitMs: null,
    // Ten are documented; nothing here relies on it.
    batch: { limit: 10, itemBytes: 8192 },
    signature: 'Basic credentials, and with a key `X-Marqeta-Signature`, HMAC-SHA1 or HMAC-SHA256 of the body, hex',
    signsTime: false,
    eventId: 'category and `token`; what has no token by its place in the body of that hash',
    eventType: 'category and `type`, else `state`, else `status`',
    objectKey: '`card_token`, else `user_token`, `business_token` or `account_token`',
    providerTime: '`created_time`',
    success: '200 and nothing else',
    handshake: '`pings`, answered and not stored',
    secret: '`user:password`, or `user:password key` where deliveries are signed',
    sources: [
      'https://www.marqeta.com/docs/developer-guides/about-webhooks',
      'https://www.marqeta.com/docs/developer-guides/signature-verification',
      'https://www.marqeta.com/docs/core-api/webhooks',
      'https://www.marqeta.com/docs/core-api/event-types',
    ],
  },
  configure: withoutOptions({
    verify: verifyMarqeta,
    read: readMarqeta,
    readsHeaders: [],
    secretProblem: credentialsProblem,
    sign: signMarqeta,
  }),
  samples,
  example: {
    options: {},
    secrets: [
      'my_username:my_Password-of-30.characters marqeta-key-2026-of-20+',
      'my_username:an_0ther-Password-of-32_chars! marqeta-key-2025-of-20+',
    ],
  },
};
