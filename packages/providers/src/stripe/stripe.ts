import type { Provider } from '../provider.ts';
import { secretFormProblem } from '../secret-form.ts';
import { readStripe } from './read.ts';
import { samples } from './samples.ts';
import { signStripe } from './sign.ts';
import { verifyStripe } from './verify.ts';

/** Stripe: snapshot events, thin events and events of connected accounts. */
export const stripe: Provider = {
  name: 'stripe',
  title: 'Stripe',
  verify: verifyStripe,
  read: readStripe,
  // Stripe issues 32 characters after the prefix, its command line 64.
  secretProblem: (value) => secretFormProblem(value, { prefix: 'whsec_', minLength: 24 }),
  sign: signStripe,
  samples,
};
