import { withoutOptions } from '../configure.ts';
import type { Provider } from '../provider.ts';
import { readPaypal } from './read.ts';
import { samples } from './samples.ts';
import { retryWindowMs, verifyPaypal } from './signature.ts';

/** PayPal's REST webhooks, verified here and not by asking PayPal about each. */
export const paypal: Provider = {
  name: 'paypal',
  title: 'PayPal',
  facts: {
    retryWindowMs,
    replayWindowMs: null,
    answerLimitMs: null,
    batch: null,
    signature:
      '`PAYPAL-TRANSMISSION-SIG`, RSA-SHA256 of transmission id, time, webhook id and CRC-32 of the body, under the certificate at `PAYPAL-CERT-URL`',
    // A time is signed, but as old as a retry it is still taken.
    signsTime: false,
    eventId: '`id`',
    eventType: '`event_type`',
    objectKey: '`resource_type` and the id of `resource`',
    providerTime: '`create_time`',
    success: 'any 2xx',
    handshake: null,
    secret: 'the webhook id, which is no secret: it binds a signature to this webhook',
    sources: [
      'https://developer.paypal.com/api/rest/webhooks/rest/',
      'https://docs.paypal.ai/reference/api/rest/verify-webhook-signature/verify-webhook-signature',
      'https://github.com/paypal/PayPal-Java-SDK/blob/master/rest-api-sdk/src/main/java/com/paypal/base/SSLUtil.java',
    ],
  },
  configure: withoutOptions({
    verify: verifyPaypal,
    read: readPaypal,
    readsHeaders: [],
    secretProblem: webhookIdProblem,
    // Only PayPal has the key.
    sign: () => null,
  }),
  samples,
  example: { options: {}, secrets: ['4JH86294D6297924G', '3TR748995U920805P'] },
};

function webhookIdProblem(value: string): string | null {
  if (value === '') return 'is empty';
  // "^[a-zA-Z0-9]+$", at most 50 (verify-webhook-signature, webhook_id).
  return /^[A-Za-z0-9]{10,50}$/.test(value) ? null : 'is not a webhook id: 10 to 50 letters and digits';
}
