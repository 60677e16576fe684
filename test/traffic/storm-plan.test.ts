import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { expectedRows } from './expected.ts';
import { signDelivery } from './sign-delivery.ts';
import { deliveriesOf } from './storm-delivery.ts';
import { planStorm } from './storm-plan.ts';

const nowMs = 1_790_000_000_000;
const deliveries = deliveriesOf(planStorm('run', nowMs));

describe('the storm', () => {
  it('is hundreds of deliveries, and no more than a minute of anybody', () => {
    expect(deliveries.length).toBeGreaterThan(500);
    expect(deliveries.length).toBeLessThan(1000);
  });

  it('sends every kind of delivery that must be refused', () => {
    const refused = new Set(deliveries.filter(({ answer }) => answer === 401).map(({ signing }) => signing));
    expect([...refused].toSorted()).toEqual([
      'future',
      'malformed',
      'no-header',
      'over-other-bytes',
      'stale',
      'wrong-secret',
    ]);
  });

  it('expects nothing of an event that was only ever refused', () => {
    const accepted = new Set(deliveries.filter(({ answer }) => answer === 200).map(({ event }) => event.id));
    const onlyRefused = deliveries.filter(({ event }) => !accepted.has(event.id));
    expect(onlyRefused.length).toBeGreaterThan(0);
    const wanted = JSON.stringify([...expectedRows(deliveries).values()].flatMap((rows) => [...rows]));
    for (const { event } of onlyRefused) expect(wanted).not.toContain(`"${event.id}"`);
  });

  it('never uses an id twice over two runs', () => {
    const ids = new Set(deliveries.map(({ event }) => event.id));
    for (const { event } of deliveriesOf(planStorm('other', nowMs))) expect(ids.has(event.id)).toBe(false);
  });

  it('re-serialises to the same value in other bytes', () => {
    const delivery = deliveries.find(({ signing }) => signing === 'over-other-bytes');
    if (!delivery) throw new Error('the storm holds no re-serialised body');
    const { body, headers } = signDelivery(delivery, 'whsec_secret', nowMs);
    const honest = signDelivery({ ...delivery, signing: 'right' }, 'whsec_secret', nowMs);
    expect(JSON.parse(body.toString())).toEqual(JSON.parse(honest.body.toString()));
    expect(body.equals(honest.body)).toBe(false);
    expect(headers).toEqual(honest.headers);
  });

  it('signs as Stripe documents it', () => {
    const [delivery] = deliveries;
    if (!delivery) throw new Error('the storm is empty');
    const { body, headers } = signDelivery({ ...delivery, signing: 'right' }, 'whsec_secret', nowMs);
    const signed = createHmac('sha256', 'whsec_secret').update(`1790000000.${body.toString()}`).digest('hex');
    expect(headers).toEqual({ 'stripe-signature': `t=1790000000,v1=${signed}` });
  });
});
