import { z } from 'zod';
import { withOptions } from '../configure.ts';
import { hmacScheme } from '../declarative/hmac-scheme.ts';
import type { Provider } from '../provider.ts';
import { secretFormProblem } from '../secret-form.ts';
import { samples } from './samples.ts';

const error = 'the notification URL, exactly as it stands in Square';
const options = z.strictObject({ url: z.string({ error }).regex(/^https:\/\/\S+$/, { error }) });

/** Square. It signs the URL it was told together with the body, so the endpoint must be told the same URL. */
export const square: Provider = {
  name: 'square',
  title: 'Square',
  facts: {
    retryWindowMs: 24 * 3_600_000,
    replayWindowMs: null,
    answerLimitMs: 10_000,
    batch: null,
    signature: '`x-square-hmacsha256-signature`, HMAC-SHA256 of the configured URL and the body, base64',
    signsTime: false,
    eventId: '`event_id`',
    eventType: '`type`',
    objectKey: '`merchant_id`, `data.type` and `data.id`',
    providerTime: '`created_at`',
    success: 'any 2xx',
    handshake: null,
    secret: 'the signature key of the webhook subscription, as text',
    options: { url: 'the notification URL, exactly as it stands in Square, path and all' },
    sources: ['https://developer.squareup.com/docs/webhooks/step3validate'],
  },
  configure: withOptions(options, ({ url }) =>
    hmacScheme(
      {
        signature: {
          header: 'x-square-hmacsha256-signature',
          algorithm: 'sha256',
          encoding: 'base64',
          content: '{url}{body}',
        },
        // Never the Host header: whoever sends a request chooses it, and a proxy changes it (twilio/twilio-node#321).
        url,
        event: {
          id: '{event_id}',
          type: '{type}',
          object: '{merchant_id}/{data.type}/{data.id}',
          time: '{created_at}',
          account: '{merchant_id}',
        },
      },
      (value) => secretFormProblem(value, { prefix: '', minLength: 16 }),
    ),
  ),
  samples,
  example: {
    options: { url: 'https://hooks.example.com/webhooks/square/payments' },
    secrets: ['exampleSignatureKey-01', 'anotherSignatureKey-02'],
  },
};
