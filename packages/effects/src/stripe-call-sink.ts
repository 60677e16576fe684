import type { Database } from '@mailroom/db';
import { CodedError, type JsonValue } from '@mailroom/kernel';
import type { OutgoingMessage, SendResult, Sink } from '@mailroom/outbox';
import {
  type AskedEffect,
  askForEffect,
  beginGeneration,
  findEffect,
  type KnownEffect,
  recordEffect,
  unaskEffect,
} from './effect-results.ts';
import { afterLimitMs, limitedForMs, limitProvider } from './provider-limit.ts';
import type { StripeApi, StripeObject } from './stripe-api.ts';
import { readStripeCall, type StripeCall } from './stripe-call.ts';
import { failureOf } from './stripe-failure.ts';
import { operations, paramsOf, type StripeOperation } from './stripe-operations.ts';

/** The operations that a message of the topic `stripe.call` may name. */
export const stripeOperations: readonly string[] = Object.keys(operations);

export interface StripeCallSinkOptions {
  /** Two connections are enough. */
  readonly database: Database;
  readonly api: StripeApi;
  /** How old a key must be before a new one is used in place of one that only repeats a stored fault. Default: an hour. */
  readonly newKeyAfterMs?: number;
}

/**
 * Calls Stripe for messages of the topic `stripe.call`: looks up the recorded result, writes down that it is about to ask, looks
 * for the object where an earlier attempt may have reached Stripe, calls, and has the result recorded in the transaction that
 * completes the message. So the effect happens once however often it is tried and however long ago the first attempt was; see
 * docs/write-backs.md and ADR 0013 for what remains.
 */
export function stripeCallSink({ database, api, newKeyAfterMs = 3_600_000 }: StripeCallSinkOptions): Sink {
  return { name: 'stripe', send };

  async function send(message: OutgoingMessage, signal: AbortSignal): Promise<SendResult> {
    let call: StripeCall;
    try {
      call = readStripeCall(message);
    } catch (error) {
      if (error instanceof CodedError) return { outcome: 'permanent', reason: error.message };
      throw error;
    }
    const operation = operations[call.operation];
    if (!operation) return { outcome: 'permanent', reason: `no operation is called ${call.operation}` };
    if (call.livemode !== null && api.livemode !== null && call.livemode !== api.livemode) {
      return { outcome: 'permanent', reason: `the message is of ${modeOf(call.livemode)}, STRIPE_API_KEY is not` };
    }
    const asked = { ...call, provider: 'stripe', outboxId: message.id };
    const known = await findEffect(database, call.key);
    if (known && known.requestHash !== call.requestHash) {
      return { outcome: 'permanent', reason: `the key ${call.key} was used for another request: name the step` };
    }
    if (known?.result) return { outcome: 'sent', result: known.result };
    const limitMs = await limitedForMs(database, 'stripe');
    if (limitMs > 0) return { outcome: 'postponed', reason: limitReason, delayMs: afterLimitMs(limitMs) };
    return await attempt({ call, operation, asked, known, signal });
  }

  async function attempt(work: Work): Promise<SendResult> {
    const { call, operation, asked, signal } = work;
    const isFirst = !work.known && (await askForEffect(database, asked));
    const known = work.known ?? (await findEffect(database, call.key));
    const generation = known?.generation ?? 1;
    const find = () => operation.find(api, call, known?.askedAt ?? new Date());
    try {
      const made = isFirst && !operation.lookFirst ? null : await find();
      if (made) return sent(asked, made, 'lookup');
      // The lease is lost or its time is over: whoever holds it next begins with the look.
      signal.throwIfAborted();
      const { body } = await api.call(operation.method, operation.path(call), {
        params: paramsOf(call, operation),
        account: call.account,
        ...(operation.method === 'POST' && { idempotencyKey: wireKey(call.key, generation) }),
      });
      return sent(asked, body, 'answer');
    } catch (error) {
      if (error instanceof CodedError && error.code === 'lookup_undecided') {
        return { outcome: 'permanent', reason: error.message };
      }
      return await failed(error, { ...work, known, isFirst, generation, find });
    }
  }

  async function failed(error: unknown, { asked, known, isFirst, generation, find }: Failed): Promise<SendResult> {
    const failure = failureOf(error);
    switch (failure.kind) {
      case 'limited': {
        if (isFirst) await unaskEffect(database, asked.key);
        const delayMs = await limitProvider(database, 'stripe', failure);
        return { outcome: 'postponed', reason: failure.reason, delayMs: afterLimitMs(delayMs) };
      }
      case 'again':
        return transient(failure.reason, failure.retryAfterMs);
      case 'key_refused':
        if (isFirst) await unaskEffect(database, asked.key);
        return { outcome: 'postponed', reason: `${failure.reason}: see STRIPE_API_KEY`, delayMs: keyRefusedMs };
      case 'stored': {
        const made = await find();
        if (made) return sent(asked, made, 'lookup');
        if ((known?.generationAgeMs ?? 0) < newKeyAfterMs)
          return transient(`${failure.reason}, stored under the key`, null);
        await beginGeneration(database, asked.key, generation);
        return transient(`${failure.reason}, stored under the key, and nothing was made: next with a new key`, null);
      }
      case 'refused': {
        // Stripe repeats some refusals to a key for a day; who mends the cause and tries again is to get an answer of its own.
        const record = (tx: Parameters<typeof recordEffect>[0]) => beginGeneration(tx, asked.key, generation);
        return { outcome: 'permanent', reason: failure.reason, record };
      }
    }
  }
}

interface Work {
  readonly call: StripeCall;
  readonly operation: StripeOperation;
  readonly asked: AskedEffect;
  readonly known: KnownEffect | null;
  readonly signal: AbortSignal;
}

interface Failed extends Work {
  readonly isFirst: boolean;
  readonly generation: number;
  readonly find: () => Promise<StripeObject | null>;
}

function sent(asked: AskedEffect, object: StripeObject, knownBy: 'answer' | 'lookup'): SendResult {
  const result = summaryOf(object);
  return { outcome: 'sent', result, record: (tx) => recordEffect(tx, asked, { result, knownBy }) };
}

function transient(reason: string, retryAfterMs: number | null): SendResult {
  return { outcome: 'transient', reason, ...(retryAfterMs !== null && { retryAfterMs }) };
}

/** What is kept for years: which object it was and what it says of money, nothing of a person. */
function summaryOf(object: StripeObject): JsonValue {
  const kept = ['id', 'object', 'status', 'amount', 'currency', 'created'];
  return Object.fromEntries(
    kept.filter((name) => object[name] !== undefined).map((name) => [name, object[name] as JsonValue]),
  );
}

function wireKey(key: string, generation: number): string {
  return generation === 1 ? key : `${key}:${generation}`;
}

function modeOf(livemode: boolean): string {
  return livemode ? 'live mode' : 'test mode';
}

const limitReason = 'Stripe asked for fewer requests; all workers wait';
// A key is mended by a person.
const keyRefusedMs = 60_000;
