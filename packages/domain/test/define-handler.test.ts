import { done, ignored, type JsonValue } from '@mailroom/kernel';
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

const named = z.object({ name: z.string() });

test('a set hands over what fits and refuses the rest: one outcome an event, in order', async () => {
  const seen: unknown[] = [];
  const handler = defineHandler({
    provider: 'acme',
    eventType: 'greeting',
    payload: named,
    async handleMany(_tx, events) {
      seen.push(events.map(({ payload }) => payload.name));
      return events.map(({ payload }) => ignored(payload.name));
    },
  });
  const contexts = [{ name: 'a' }, {}, { name: 'b' }, null].map(contextOf);
  expect(await handler.handleMany?.(contexts)).toMatchObject([
    { outcome: 'ignored', reason: 'a' },
    { outcome: 'reject', code: 'unexpected_payload' },
    { outcome: 'ignored', reason: 'b' },
    { outcome: 'reject', code: 'unexpected_payload' },
  ]);
  expect(await handler.handle(contextOf({ name: 'c' }))).toEqual(ignored('c'));
  expect(await handler.handleMany?.([contextOf({})])).toMatchObject([{ outcome: 'reject' }]);
  expect(seen).toEqual([['a', 'b'], ['c']]);
});

test('a set that answers fewer outcomes than events is a fault, not a success of the rest', async () => {
  const handler = defineHandler({
    provider: 'acme',
    eventType: 'greeting',
    payload: named,
    handleMany: async () => [done],
  });
  await expect(handler.handleMany?.([{ name: 'a' }, { name: 'b' }].map(contextOf))).rejects.toThrow('1 outcomes for 2');
});

test('what is declared is on the handler, and the tie policy is given back with each event', async () => {
  const handler = defineHandler({
    provider: 'acme',
    eventType: 'greeting',
    payload: named,
    onTie: 'refetch',
    ownRowsOnly: true,
    async handle({ onTie }) {
      expectTypeOf(onTie).toEqualTypeOf<'refetch'>();
      return ignored(onTie);
    },
  });
  expect(handler).toMatchObject({ onTie: 'refetch', ownRowsOnly: true });
  expect(await handler.handle(contextOf({ name: 'a' }))).toEqual(ignored('refetch'));
  const silent = defineHandler({ provider: 'acme', eventType: 'greeting', payload: named, handle: neverCalled });
  expect(Object.keys(silent).toSorted()).toEqual(['eventType', 'handle', 'provider']);
});
