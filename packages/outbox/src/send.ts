import { setTimeout as pause } from 'node:timers/promises';
import { thrown } from './ending.ts';
import type { OutgoingMessage, SendResult, Sink } from './sink.ts';

/**
 * One attempt, ended after `timeoutMs` or when `lost` aborts, whether the sink listens or not: one that hangs must not hold up the relay.
 * Never throws.
 */
export async function sendInTime(
  sink: Sink,
  message: OutgoingMessage,
  lost: AbortSignal,
  timeoutMs: number,
): Promise<SendResult> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  const signal = AbortSignal.any([late.signal, lost]);
  const deaf = new AbortController();
  try {
    return await Promise.race([sink.send(message, signal), givenUp(signal, deaf.signal)]);
  } catch (error) {
    return late.signal.aborted ? { outcome: 'transient', reason: `no answer within ${timeoutMs} ms` } : thrown(error);
  } finally {
    clearTimeout(timer);
    deaf.abort();
  }
}

/** A sink is given a moment after the signal to say what happened. */
async function givenUp(signal: AbortSignal, settled: AbortSignal): Promise<never> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const onAbort = (): void => resolve();
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  settled.addEventListener('abort', onAbort, { once: true });
  await aborted;
  signal.removeEventListener('abort', onAbort);
  if (!settled.aborted) await pause(graceMs, undefined, { signal: settled }).catch(() => undefined);
  throw new Error('the sink did not end when it was told to');
}

const graceMs = 250;
