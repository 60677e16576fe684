import { createHash } from 'node:crypto';
import type { EventKey } from '@mailroom/kernel';

/**
 * The idempotency key of one step that an event asks for: `webhook:<event id>:<step>`, the same in every process and at every
 * attempt. An event that two endpoints of Stripe received asks once, for Stripe's event ids are unique; those of others have
 * their endpoint in front. At most `longest` characters, and nothing in it but what an id is made of: an event id that is longer or
 * holds anything else (it might be a person's address) stands there as its SHA-256.
 */
export function effectKeyOf({ provider, endpoint, eventId }: EventKey, step: string): string {
  const name = provider === 'stripe' ? eventId : `${provider}/${endpoint}/${eventId}`;
  const key = `webhook:${name}:${step}`;
  if (key.length <= longest && plain.test(name)) return key;
  return `webhook:sha256-${createHash('sha256')
    .update(JSON.stringify([name, step]))
    .digest('hex')}:${step.slice(0, 100)}`;
}

// Stripe takes 255 (docs.stripe.com/api/idempotent_requests); the rest is for the generation that is put behind it.
const longest = 240;
const plain = /^[\w./:-]+$/;
