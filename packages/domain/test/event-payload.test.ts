import { done, type JsonValue } from '@mailroom/kernel';
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineHandler } from '../src/index.ts';

test('without a schema a Stripe payload has the fields of its event type, each of them perhaps missing', () => {
  const handler = defineHandler({
    provider: 'stripe',
    eventType: 'invoice.marked_uncollectible',
    handle({ payload }) {
      const invoice = payload.data.object;
      expectTypeOf(invoice.amount_due).toEqualTypeOf<number | bigint | undefined>();
      expectTypeOf(invoice.object).toExtend<string>();
      // @ts-expect-error -- an invoice has no such field
      void invoice.amount_du;
      return Promise.resolve(done);
    },
  });
  expect(handler).toMatchObject({ provider: 'stripe', eventType: 'invoice.marked_uncollectible' });
});

test('an event type that Stripe has only just brought goes too', () => {
  const handler = defineHandler({
    provider: 'stripe',
    eventType: 'invoice.sent_to_the_moon',
    handle({ payload }) {
      expectTypeOf(payload.data.object.object).toExtend<string>();
      return Promise.resolve(done);
    },
  });
  expect(handler.eventType).toBe('invoice.sent_to_the_moon');
});

test('of another provider it is any JSON', () => {
  const handler = defineHandler({
    provider: 'acme',
    eventType: 'order.shipped',
    handle({ payload }) {
      expectTypeOf(payload).toEqualTypeOf<JsonValue>();
      return Promise.resolve(done);
    },
  });
  expect(handler.eventType).toBe('order.shipped');
});

test('a schema decides before all types', () => {
  const handler = defineHandler({
    provider: 'stripe',
    eventType: 'invoice.paid',
    payload: z.object({ id: z.string() }),
    handle({ payload }) {
      expectTypeOf(payload).toEqualTypeOf<{ id: string }>();
      return Promise.resolve(done);
    },
  });
  expect(handler.eventType).toBe('invoice.paid');
});

test.each<JsonValue>([null, [], {}, { data: {} }, { data: { object: {} } }])(
  'what is no Stripe event with an object in it is rejected: %j',
  async (payload) => {
    const handler = defineHandler({
      provider: 'stripe',
      eventType: 'invoice.sent',
      handle: () => Promise.resolve(done),
    });
    const context = { payload } as Parameters<typeof handler.handle>[0];
    expect(await handler.handle(context)).toMatchObject({ outcome: 'reject', code: 'unexpected_payload' });
  },
);
