import { createHash } from 'node:crypto';
import { CodedError, type JsonValue } from '@mailroom/kernel';
import { type OutgoingMessage, writeJson } from '@mailroom/outbox';
import { z } from 'zod';
import { effectKeyOf } from './effect-key.ts';

/** A message of the topic `stripe.call`, read. */
export interface StripeCall {
  readonly operation: string;
  /** Of the object that is changed; null where one is created. */
  readonly id: string | null;
  readonly params: Readonly<Record<string, JsonValue>>;
  readonly account: string | null;
  readonly livemode: boolean | null;
  /** Our key, and the `mailroom_key` in the object's metadata. */
  readonly key: string;
  /** SHA-256 of what is asked for. */
  readonly requestHash: string;
}

const payload = z.object({
  operation: z.string().min(1).max(100),
  /** Names one of several calls of the same operation that an event asks for. */
  step: z.string().regex(/^[\w.-]{1,100}$/),
  // What stands in a path must not lead elsewhere.
  id: z
    .string()
    .regex(/^\w{1,255}$/)
    .nullable(),
  params: z.record(z.string(), z.unknown()),
  account: z
    .string()
    .regex(/^\w{1,255}$/)
    .nullable(),
  livemode: z.boolean().nullable(),
});

/** Reads what a handler asked for. Throws `unusable_message`, which no attempt can change. */
export function readStripeCall(message: OutgoingMessage): StripeCall {
  const reading = payload.safeParse(message.payload);
  if (!reading.success) {
    const where = reading.error.issues.map(({ path, message: problem }) => `${path.join('.')}: ${problem}`).join('; ');
    throw new CodedError('unusable_message', `the message is no call of Stripe: ${where}`);
  }
  if (message.source === null) throw new CodedError('unusable_message', 'the message names no event to make a key of');
  const { operation, step, id, account, livemode } = reading.data;
  const params = reading.data.params as Readonly<Record<string, JsonValue>>;
  const request = writeJson([operation, id, params, account]);
  return {
    operation,
    id,
    params,
    account,
    livemode,
    key: effectKeyOf(message.source, step),
    requestHash: createHash('sha256').update(request).digest('hex'),
  };
}
