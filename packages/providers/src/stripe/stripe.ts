import { withoutOptions } from '../configure.ts';
import type { Provider } from '../provider.ts';
import { secretFormProblem } from '../secret-form.ts';
import { readStripe } from './read.ts';
import { samples } from './samples.ts';
import { signStripe, verifyStripe } from './signature.ts';

const dayMs = 86_400_000;

/** Stripe: snapshot events, thin events and events of connected accounts. */
export const stripe: Provider = {
  name: 'stripe',
  title: 'Stripe',
  facts: {
    retryWindowMs: 3 * dayMs,
    // `stripe events resend` of the command line; the dashboard offers 15 days.
    replayWindowMs: 30 * dayMs,
    answerLimitMs: null,
    batch: null,
    signature: '`Stripe-Signature: t=,v1=`, HMAC-SHA256 of `t.body`, hex',
    signsTime: true,
    eventId: '`id`',
    eventType: '`type`',
    objectKey: '`account`, type and id of `data.object` or `related_object`',
    providerTime: '`created`',
    success: 'any 2xx',
    handshake: null,
    secret: 'the signing secret, whole, with its `whsec_`',
    sources: ['https://docs.stripe.com/webhooks'],
  },
  configure: withoutOptions({
    verify: verifyStripe,
    read: readStripe,
    readsHeaders: [],
    // Stripe issues 32 characters after the prefix, its command line 64.
    secretProblem: (value) => secretFormProblem(value, { prefix: 'whsec_', minLength: 24 }),
    sign: signStripe,
  }),
  samples,
  example: {
    options: {},
    secrets: ['whsec_exampleOfASecret0123456789abcdef', 'whsec_anotherExample0123456789abcdefgh'],
  },
};
