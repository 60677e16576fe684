import { withoutOptions } from '../configure.ts';
import type { Provider } from '../provider.ts';
import { secretFormProblem } from '../secret-form.ts';
import { claimHeaders } from './claims.ts';
import { readShopify } from './read.ts';
import { samples } from './samples.ts';
import { signShopify, verifyShopify } from './signature.ts';

/** Shopify: webhooks of an app, of its "Events" family, and those that a merchant makes in the admin. */
export const shopify: Provider = {
  name: 'shopify',
  title: 'Shopify',
  facts: {
    retryWindowMs: 4 * 3_600_000,
    // Nobody can ask Shopify for an old delivery; what was missed is read from its API.
    replayWindowMs: 0,
    answerLimitMs: 5000,
    batch: null,
    signature: '`X-Shopify-Hmac-Sha256` or `shopify-hmac-sha256`, HMAC-SHA256 of the body, base64',
    signsTime: false,
    eventId: '`X-Shopify-Webhook-Id`, an unsigned header; the hash of the body is kept beside it',
    eventType: '`X-Shopify-Topic`, an unsigned header, checked against the body where the body can tell',
    objectKey: 'shop, resource of the topic and `id`; item and location of a stock level; the order of a refund',
    providerTime: '`updated_at`, else `X-Shopify-Triggered-At`',
    success: 'any 2xx; a redirect is a failure',
    handshake: null,
    secret:
      'the client secret of the app, old and new during a rotation; for webhooks made in the admin the key shown there',
    sources: [
      'https://shopify.dev/docs/apps/build/webhooks/verify-deliveries',
      'https://shopify.dev/docs/apps/build/compliance/privacy-law-compliance',
      'https://shopify.dev/changelog/updates-to-webhook-retry-mechanism',
    ],
  },
  configure: withoutOptions({
    verify: verifyShopify,
    read: readShopify,
    readsHeaders: claimHeaders,
    // 32 characters in an app, with or without `shpss_`, 64 in the admin.
    secretProblem: (value) => secretFormProblem(value, { prefix: '', minLength: 24 }),
    sign: signShopify,
  }),
  samples,
  example: {
    options: {},
    secrets: ['shpss_exampleOfAClientSecret0123456789', 'a1b2c3d4e5f60718293a4b5c6d7e8f90'],
  },
};
