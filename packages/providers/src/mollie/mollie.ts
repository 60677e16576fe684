import { withoutOptions } from '../configure.ts';
import { hmacScheme } from '../declarative/hmac-scheme.ts';
import type { Provider } from '../provider.ts';
import { secretFormProblem } from '../secret-form.ts';
import { samples } from './samples.ts';

/**
 * Mollie's next-generation webhooks, which are signed. Its classic ones are not: they hold an id and nothing else, and this
 * provider refuses them.
 */
export const mollie: Provider = {
  name: 'mollie',
  title: 'Mollie (next generation)',
  facts: {
    // Ten attempts.
    retryWindowMs: 26 * 3_600_000,
    replayWindowMs: null,
    answerLimitMs: 15_000,
    batch: null,
    signature: '`X-Mollie-Signature: sha256=`, HMAC-SHA256 of the body, hex; two lines for 24 hours after a rotation',
    signsTime: false,
    eventId: '`id`',
    eventType: '`type`',
    objectKey: '`entityId`',
    providerTime: '`createdAt`',
    success: '200',
    handshake: null,
    secret: 'the signing secret of the webhook, as text',
    sources: ['https://docs.mollie.com/reference/webhooks-new'],
  },
  configure: withoutOptions(
    hmacScheme(
      {
        signature: {
          header: 'x-mollie-signature',
          tag: 'sha256=',
          algorithm: 'sha256',
          encoding: 'hex',
          content: '{body}',
        },
        event: { id: '{id}', type: '{type}', object: '{entityId}', time: '{createdAt}' },
      },
      (value) => secretFormProblem(value, { prefix: '', minLength: 8 }),
    ),
  ),
  samples,
  example: { options: {}, secrets: ['exampleMollieSecret0001', 'exampleMollieSecret0002'] },
};
