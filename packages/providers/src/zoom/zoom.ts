import { withoutOptions } from '../configure.ts';
import { hmacScheme } from '../declarative/hmac-scheme.ts';
import type { Provider } from '../provider.ts';
import { secretFormProblem } from '../secret-form.ts';
import { samples } from './samples.ts';

/** Zoom. Every 72 hours it asks the endpoint to prove that it has the secret. */
export const zoom: Provider = {
  name: 'zoom',
  title: 'Zoom',
  facts: {
    // Three retries: after 5 minutes, 20 more and 60 more.
    retryWindowMs: 5_100_000,
    replayWindowMs: null,
    answerLimitMs: 3000,
    batch: null,
    signature: '`x-zm-signature: v0=`, HMAC-SHA256 of `v0:timestamp:body`, hex; the time in `x-zm-request-timestamp`',
    signsTime: true,
    eventId: 'none; the hash of the body, in which `event_ts` stands in milliseconds',
    eventType: '`event`',
    objectKey: '`payload.account_id` and the id of `payload.object`',
    providerTime: '`event_ts`',
    success: '200 or 204',
    handshake: '`endpoint.url_validation`, answered with its `plainToken` and the HMAC of it',
    secret: 'the secret token of the app, as text',
    sources: ['https://developers.zoom.us/docs/api/webhooks/'],
  },
  configure: withoutOptions(
    hmacScheme(
      {
        signature: {
          header: 'x-zm-signature',
          tag: 'v0=',
          algorithm: 'sha256',
          encoding: 'hex',
          content: 'v0:{timestamp}:{body}',
        },
        timestamp: { header: 'x-zm-request-timestamp', unit: 's' },
        event: {
          type: '{event}',
          // The `id` of a meeting that recurs stays the same; `uuid` would be one for each of its instances.
          object: ['{payload.account_id}/{payload.object.id}', '{payload.account_id}/{payload.object.uuid}'],
          time: '{event_ts}',
          account: '{payload.account_id}',
        },
        handshakes: [
          { name: 'url_validation', when: { '{event}': 'endpoint.url_validation' }, prove: '{payload.plainToken}' },
        ],
      },
      (value) => secretFormProblem(value, { prefix: '', minLength: 8 }),
    ),
  ),
  samples,
  example: { options: {}, secrets: ['exampleSecretToken0001', 'exampleSecretToken0002'] },
};
