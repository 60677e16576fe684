import { withoutOptions } from '../configure.ts';
import { hmacScheme } from '../declarative/hmac-scheme.ts';
import type { Provider } from '../provider.ts';
import { secretFormProblem } from '../secret-form.ts';
import { samples } from './samples.ts';

const linkOfResource = Object.fromEntries(
  [
    'billing_request',
    'creditor',
    'export',
    'instalment_schedule',
    'mandate',
    'organisation',
    'outbound_payment',
    'payer_authorisation',
    'payment',
    'payout',
    'refund',
    'scheme_identifier',
    'subscription',
  ].map((link) => [`${link}s`, `${link}s/{links.${link}}`]),
);

/** GoCardless. One delivery holds up to 250 events, of several resources. */
export const gocardless: Provider = {
  name: 'gocardless',
  title: 'GoCardless',
  facts: {
    retryWindowMs: null,
    // "Retry a webhook" of its API takes any; how old is not documented.
    replayWindowMs: null,
    answerLimitMs: 10_000,
    batch: { limit: 250, itemBytes: 2000 },
    signature: '`Webhook-Signature`, HMAC-SHA256 of the body, hex',
    signsTime: false,
    eventId: '`id` of each of `events`',
    eventType: '`resource_type`.`action`',
    objectKey: 'the link that is named after the resource, such as `links.payment`',
    providerTime: '`created_at`',
    success: 'any 2xx; a redirect is a failure',
    handshake: null,
    secret: 'the secret of the webhook endpoint, as text',
    sources: [
      'https://developer.gocardless.com/getting-started/staying-up-to-date-with-webhooks',
      'https://support.gocardless.com/hc/en-nz/articles/360000989989-Webhook-retries-failures',
    ],
  },
  configure: withoutOptions(
    hmacScheme(
      {
        signature: { header: 'webhook-signature', algorithm: 'sha256', encoding: 'hex', content: '{body}' },
        batch: 'events',
        event: {
          id: '{id}',
          type: '{resource_type}.{action}',
          // An event links to several things (a payment to its mandate and payout): the one it is about is named after
          // its resource, in the singular.
          object: { by: '{resource_type}', of: linkOfResource },
          time: '{created_at}',
          account: '{links.organisation}',
        },
      },
      (value) => secretFormProblem(value, { prefix: '', minLength: 16 }),
    ),
  ),
  samples,
  example: {
    options: {},
    secrets: ['EXAMPLE1-0000-4000-8000-000000000001', 'EXAMPLE2-0000-4000-8000-000000000002'],
  },
};
