import type { IncomingMessage } from 'node:http';
import type { BodyBudget } from './body-budget.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  /** From the end of the headers to the last byte, milliseconds. */
  readonly deadlineMs: number;
  readonly budget: BodyBudget;
  /** Called once it is sure that the body is wanted. */
  readonly beforeReading: () => void;
}

export type BodyReading =
  | { readonly outcome: 'read'; readonly body: Buffer }
  | { readonly outcome: 'too_large' }
  | { readonly outcome: 'too_slow' }
  | { readonly outcome: 'memory_full' }
  /** The client went away before the last byte; nobody is left to answer. */
  | { readonly outcome: 'aborted' };

/**
 * Reads the exact bytes of a request, counted while they stream. Never throws. Whatever stops it early leaves the request
 * paused and nothing of it in memory; draining the rest is the answer's business (`send-answer.ts`).
 *
 * Our own reader, because hono's `bodyLimit` trusts Content-Length first and resets the connection instead of answering 413
 * (honojs/node-server#327), and because hono re-derives one form of a body from another, which loses bytes.
 */
export function readBody(incoming: IncomingMessage, limits: BodyLimits): Promise<BodyReading> {
  // A hint only: it may refuse early, but what counts is what comes.
  if (Number(incoming.headers['content-length'] ?? 0) > limits.maxBytes) {
    return Promise.resolve({ outcome: 'too_large' });
  }
  limits.beforeReading();
  return new Promise((resolve) => {
    const body = createGrowingBuffer(limits);
    const deadline = setTimeout(() => finish({ outcome: 'too_slow' }), limits.deadlineMs);
    incoming.on('data', onData);
    incoming.on('end', onEnd);
    incoming.on('error', onAbort);
    incoming.on('close', onAbort);

    function onData(chunk: Buffer): void {
      const refusal = body.add(chunk);
      if (refusal) finish({ outcome: refusal });
    }
    function onEnd(): void {
      finish({ outcome: 'read', body: body.bytes() });
    }
    function onAbort(): void {
      finish({ outcome: 'aborted' });
    }
    function finish(reading: BodyReading): void {
      clearTimeout(deadline);
      incoming.off('data', onData);
      incoming.off('end', onEnd);
      incoming.off('close', onAbort);
      // 'error' keeps its listener: a connection that breaks later must not end the process.
      if (reading.outcome !== 'read') incoming.pause();
      body.release();
      resolve(reading);
    }
  });
}

/**
 * Collects chunks into one buffer that doubles. A list of chunks would be smaller to write, but a sender of single bytes
 * would make it cost a hundred times the bytes. Most bodies come as one chunk, which is kept as it is.
 */
function createGrowingBuffer(limits: Pick<BodyLimits, 'maxBytes' | 'budget'>) {
  let buffer: Buffer | undefined;
  let length = 0;
  let reserved = 0;

  return { add, bytes, release };

  function add(chunk: Buffer): 'too_large' | 'memory_full' | undefined {
    const needed = length + chunk.length;
    if (needed > limits.maxBytes) return 'too_large';
    if (buffer === undefined || needed > buffer.length) {
      const size = buffer === undefined ? chunk.length : Math.min(limits.maxBytes, Math.max(needed, buffer.length * 2));
      if (!limits.budget.take(size - reserved)) return 'memory_full';
      reserved = size;
      buffer = grown(buffer, length, chunk, size);
    } else {
      chunk.copy(buffer, length);
    }
    length = needed;
    return undefined;
  }

  function bytes(): Buffer {
    return buffer?.subarray(0, length) ?? Buffer.alloc(0);
  }

  function release(): void {
    limits.budget.give(reserved);
    reserved = 0;
    buffer = undefined;
  }
}

function grown(buffer: Buffer | undefined, length: number, chunk: Buffer, size: number): Buffer {
  if (buffer === undefined) return chunk;
  const larger = Buffer.allocUnsafeSlow(size);
  buffer.copy(larger, 0, 0, length);
  chunk.copy(larger, length);
  return larger;
}
