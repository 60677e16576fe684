import { withoutOptions } from '../configure.ts';
import type { Provider } from '../provider.ts';
import { accepted, readAdyen } from './read.ts';
import { samples } from './samples.ts';
import { hexKeyProblem, signAdyen, verifyAdyen } from './signature.ts';

/** Adyen: standard notifications, and the webhooks of platforms, management and tokenization. */
export const adyen: Provider = {
  name: 'adyen',
  title: 'Adyen',
  facts: {
    // Three quick tries, then from a queue at growing intervals.
    retryWindowMs: 30 * 86_400_000,
    replayWindowMs: null,
    answerLimitMs: 10_000,
    // Over JSON there is usually one item.
    batch: { limit: null, itemBytes: 2048 },
    signature:
      'standard: `hmacSignature` in each item, HMAC-SHA256 of eight fields, unescaped, base64; others: `HmacSignature` header, HMAC-SHA256 of the body, base64',
    signsTime: false,
    eventId: '`pspReference`, `eventCode` and `success`; else `eventId`; else the hash of the body',
    eventType: '`eventCode`, else `type`',
    objectKey: 'account and `originalReference` or `pspReference`; else the id in `data`',
    providerTime: '`eventDate`, else `timestamp` or `createdAt`; not signed in a standard notification',
    success: 'any 2xx; answered with `[accepted]`, which older integrations wait for',
    handshake: null,
    secret: 'the HMAC key, 64 hex digits',
    sources: [
      'https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures',
      'https://docs.adyen.com/development-resources/webhooks/handle-webhook-events',
      'https://github.com/Adyen/adyen-python-api-library/issues/117',
    ],
  },
  configure: withoutOptions({
    verify: verifyAdyen,
    read: readAdyen,
    readsHeaders: [],
    accepted,
    secretProblem: hexKeyProblem,
    sign: signAdyen,
  }),
  samples,
  example: {
    options: {},
    secrets: [
      'DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00',
      '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056',
    ],
  },
};
