import { withoutOptions } from '../configure.ts';
import { hmacScheme } from '../declarative/hmac-scheme.ts';
import type { Provider } from '../provider.ts';
import { chosenSecretProblem } from '../secret-form.ts';
import { samples } from './samples.ts';

/** Lemon Squeezy. It tries four times within minutes and then never again, so what is missed must be read from its API. */
export const lemonsqueezy: Provider = {
  name: 'lemonsqueezy',
  title: 'Lemon Squeezy',
  facts: {
    // Three retries, after 5, 25 and 125 s.
    retryWindowMs: 155_000,
    replayWindowMs: null,
    answerLimitMs: null,
    batch: null,
    signature: '`X-Signature`, HMAC-SHA256 of the body, hex',
    signsTime: false,
    eventId: 'none; the hash of the body, in which `updated_at` stands',
    eventType: '`meta.event_name`; the header `X-Event-Name` is not signed',
    objectKey: '`data.type` and `data.id`',
    providerTime: '`data.attributes.updated_at`',
    success: '200',
    handshake: null,
    secret: 'the signing secret of the webhook, as text',
    sources: [
      'https://docs.lemonsqueezy.com/help/webhooks/signing-requests',
      'https://docs.lemonsqueezy.com/help/webhooks/webhook-requests',
    ],
  },
  configure: withoutOptions(
    hmacScheme(
      {
        signature: { header: 'x-signature', algorithm: 'sha256', encoding: 'hex', content: '{body}' },
        event: {
          // No `id`: meta.webhook_id is there at times, and nothing says whether it names the event or the webhook.
          type: '{meta.event_name}',
          object: '{data.type}/{data.id}',
          time: ['{data.attributes.updated_at}', '{data.attributes.created_at}'],
          account: '{data.attributes.store_id}',
          testmode: ['{meta.test_mode}', '{data.attributes.test_mode}'],
        },
      },
      // Lemon Squeezy asks for 6 to 40 characters.
      (value) => chosenSecretProblem(value, 6),
    ),
  ),
  samples,
  example: { options: {}, secrets: ['example-signing-secret', 'another signing secret'] },
};
