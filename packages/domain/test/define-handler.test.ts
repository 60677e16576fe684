import { done, type JsonValue } from '@mailroom/kernel';
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineHandler, type HandlerContext } from '../src/index.ts';

const greeting = z.object({ data: z.object({ name: z.string(), times: z.int() }) });

function contextOf(payload: JsonValue): HandlerContext {
  return {
    // Never touched: a payload that does not fit must not reach the database.
    tx: undefined as never,
    event: {
      provider: 'acme',
      endpoint: 'main',
      eventId: 'evt_1',
      eventType: 'greeting',
      objectKey: null,
      providerTime: null,
      apiVersion: null,
      account: null,
      livemode: null,
      receivedAt: new Date(0),
    },
    payload,
    body: Buffer.from(''),
  };
}

test('a payload that fits is handed over with the type of its schema, unknown fields tolerated', async () => {
  const seen: unknown[] = [];
  const handler = defineHandler({
    provider: 'acme',
    eventType: 'greeting',
    payload: greeting,
    async handle({ payload }) {
      expectTypeOf(payload).toEqualTypeOf<{ data: { name: string; times: number } }>();
      seen.push(payload);
      return done;
    },
  });
  const payload = { data: { name: 'Zoë', times: 2, mood: 'new field' }, later: true };
  expect(await handler.handle(contextOf(payload))).toEqual(done);
  expect(seen).toEqual([{ data: { name: 'Zoë', times: 2 } }]);
});

test('a payload that does not fit is rejected by the path of what is wrong, and its values are never repeated', async () => {
  const handler = defineHandler({ provider: 'acme', eventType: 'greeting', payload: greeting, handle: neverCalled });
  const outcome = await handler.handle(contextOf({ data: { name: 4111_1111, times: 'hunter2' } }));
  expect(outcome).toMatchObject({ outcome: 'reject', code: 'unexpected_payload' });
  const reason = outcome.outcome === 'reject' ? outcome.reason : '';
  expect(reason).toContain('payload.data.name: ');
  expect(reason).toContain('payload.data.times: ');
  expect(reason).not.toMatch(/hunter2|4111/);
});

test.each<[string, JsonValue]>([
  ['null', null],
  ['an array', []],
  ['a text', 'text'],
  ['a bigint', 2n ** 64n],
  ['an object without the fields', {}],
])('%s as payload ends as a rejection, not as a throw', async (_what, payload) => {
  const handler = defineHandler({ provider: 'acme', eventType: 'greeting', payload: greeting, handle: neverCalled });
  expect(await handler.handle(contextOf(payload))).toMatchObject({ outcome: 'reject', code: 'unexpected_payload' });
});

test('a reason stays one line however much is wrong', async () => {
  const many = z.object(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field_${index}`, z.string()])));
  const handler = defineHandler({ provider: 'acme', eventType: 'greeting', payload: many, handle: neverCalled });
  const outcome = await handler.handle(contextOf({}));
  const reason = outcome.outcome === 'reject' ? outcome.reason : '';
  expect(reason).toMatch(/^payload\.field_0: .*; and 495 more$/);
  expect(reason.length).toBeLessThan(1000);
});

async function neverCalled(): Promise<never> {
  throw new Error('the handler saw a payload that does not fit');
}
