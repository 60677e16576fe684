import { withoutOptions } from '../configure.ts';
import { hmacScheme } from '../declarative/hmac-scheme.ts';
import type { Provider } from '../provider.ts';
import { secretFormProblem } from '../secret-form.ts';
import { samples } from './samples.ts';

/**
 * Xero. To test intent to receive it sends deliveries without events, some of them wrongly signed on purpose, and takes
 * exactly 200 for the right ones and exactly 401 for the others, with no body and no cookies.
 */
export const xero: Provider = {
  name: 'xero',
  title: 'Xero',
  facts: {
    retryWindowMs: 86_400_000,
    replayWindowMs: null,
    answerLimitMs: 5000,
    batch: { limit: null, itemBytes: 1000 },
    signature: '`x-xero-signature`, HMAC-SHA256 of the body, base64',
    signsTime: false,
    eventId: 'none; tenant, category, `resourceId`, `eventType` and `eventDateUtc` together',
    eventType: '`eventCategory`.`eventType`',
    objectKey: '`tenantId`, `eventCategory` and `resourceId`',
    providerTime: '`eventDateUtc`',
    success: '200 with an empty body',
    handshake: 'intent to receive: deliveries without events, answered with 200, or 401 where the signature is wrong',
    secret: 'the webhook signing key of the app, as text',
    sources: [
      'https://developer.xero.com/documentation/guides/webhooks/overview/',
      'https://developer.xero.com/documentation/guides/webhooks/configuring-your-server/',
    ],
  },
  configure: withoutOptions(
    hmacScheme(
      {
        signature: { header: 'x-xero-signature', algorithm: 'sha256', encoding: 'base64', content: '{body}' },
        batch: 'events',
        event: {
          id: '{tenantId}/{eventCategory}/{resourceId}/{eventType}/{eventDateUtc}',
          type: '{eventCategory}.{eventType}',
          object: '{tenantId}/{eventCategory}/{resourceId}',
          // Xero writes UTC without saying so.
          time: '{eventDateUtc}Z',
          account: '{tenantId}',
        },
      },
      (value) => secretFormProblem(value, { prefix: '', minLength: 16 }),
    ),
  ),
  samples,
  example: {
    options: {},
    secrets: ['exampleWebhookKey0000000000000000000000001==', 'exampleWebhookKey0000000000000000000000002=='],
  },
};
