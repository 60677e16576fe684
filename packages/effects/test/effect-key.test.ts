import { expect, it } from 'vitest';
import { effectKeyOf } from '../src/effect-key.ts';

const key = (eventId: string, step = 'refunds.create', provider = 'stripe') =>
  effectKeyOf({ provider, endpoint: 'billing', eventId }, step);

it('the key is the event and the step, whichever endpoint of Stripe received it', () => {
  expect(key('evt_1')).toBe('webhook:evt_1:refunds.create');
  expect(effectKeyOf({ provider: 'stripe', endpoint: 'connect', eventId: 'evt_1' }, 's')).toBe('webhook:evt_1:s');
});

it('ids of other providers do not meet', () => {
  expect(key('1', 's', 'acme')).toBe('webhook:acme/billing/1:s');
  expect(key('1', 's', 'acme')).not.toBe(key('1', 's', 'other'));
});

it('no personal data and never more than Stripe takes: anything else than an id is hashed, the same way each time', () => {
  const [personal, long] = [key('ann@example.com'), key('e'.repeat(255), 's'.repeat(100))];
  expect(personal).toMatch(/^webhook:sha256-[0-9a-f]{64}:refunds\.create$/);
  expect(personal).toBe(key('ann@example.com'));
  expect(personal).not.toBe(key('bob@example.com'));
  expect(long.length).toBeLessThanOrEqual(240);
});
