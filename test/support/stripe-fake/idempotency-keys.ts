import type { FakeClock } from './fake-clock.ts';
import { hourMs } from './fake-clock.ts';
import { type Answer, stripeError } from './stripe-error.ts';

/**
 * Keys as version 1 of Stripe's API keeps them (docs.stripe.com/api/idempotent_requests): the answer of the first request that
 * was carried out is given again, a 500 too; not one that failed validation or was turned away before it began. Other
 * parameters are refused, and so is a key in use. Forgotten after 24 hours of the clock.
 */
export function createIdempotencyKeys(clock: FakeClock) {
  const kept = new Map<string, { readonly print: string; readonly sinceMs: number; answer: Answer | null }>();

  return async (key: string, print: string, carryOut: () => Promise<Answer>): Promise<Answer> => {
    const known = kept.get(key);
    if (known && clock.now() - known.sinceMs < 24 * hourMs) {
      if (known.print !== print) return otherParameters;
      if (!known.answer) return inUse;
      return { ...known.answer, headers: { ...known.answer.headers, 'idempotent-replayed': 'true' } };
    }
    const entry = { print, sinceMs: clock.now(), answer: null as Answer | null };
    kept.set(key, entry);
    const answer = await carryOut();
    if (neverBegan.has(answer.status)) kept.delete(key);
    else entry.answer = answer;
    return answer;
  };
}

const neverBegan = new Set([400, 404, 429]);
const otherParameters = stripeError(400, {
  type: 'idempotency_error',
  message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
});
const inUse = stripeError(409, { type: 'idempotency_error', code: 'idempotency_key_in_use' });
