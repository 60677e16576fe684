import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createBodyBudget } from '../src/body-budget.ts';
import { readBody } from '../src/read-body.ts';

describe('readBody', () => {
  it.each([1, 2, 3, 7, 64, 1_000])('gives back the exact bytes that came in chunks of %d', async (size) => {
    const bytes = Buffer.from('{"name":"Zoë 🚚"}'.repeat(20));
    expect(await read(chunksOf(bytes, size))).toEqual({ outcome: 'read', body: bytes });
  });

  it('gives back an empty body as empty', async () => {
    expect(await read([])).toEqual({ outcome: 'read', body: Buffer.alloc(0) });
  });

  it('reads a body of exactly the limit and refuses one byte more, chunked or not', async () => {
    expect(await read([Buffer.alloc(1_000)])).toMatchObject({ outcome: 'read' });
    expect(await read([Buffer.alloc(1_001)])).toEqual({ outcome: 'too_large' });
    expect(await read(chunksOf(Buffer.alloc(1_001), 10))).toEqual({ outcome: 'too_large' });
  });

  it('refuses a declared length over the limit before the first byte, and does not ask for the body', async () => {
    let asked = false;
    const incoming = request([], { 'content-length': '1001' });
    const reading = await readBody(incoming, { ...limits(), beforeReading: () => (asked = true) });
    expect(reading).toEqual({ outcome: 'too_large' });
    expect(asked).toBe(false);
  });

  it('refuses a body that all bodies together have no room for, and leaves the room to others', async () => {
    const budget = createBodyBudget(100);
    expect(await readBody(request([Buffer.alloc(101)]), { ...limits(), budget })).toEqual({ outcome: 'memory_full' });
    expect(await readBody(request([Buffer.alloc(100)]), { ...limits(), budget })).toMatchObject({ outcome: 'read' });
    expect(budget.take(100)).toBe(true);
  });

  it('says so when the client breaks off', async () => {
    const incoming = request([]);
    const reading = readBody(incoming, limits());
    incoming.destroy(new Error('aborted'));
    expect(await reading).toEqual({ outcome: 'aborted' });
  });
});

async function read(chunks: readonly Buffer[]) {
  return await readBody(request(chunks), limits());
}

function limits() {
  return { maxBytes: 1_000, deadlineMs: 60_000, budget: createBodyBudget(1_000_000), beforeReading: () => {} };
}

/** The part of a request that the reader uses: a stream of bytes and the headers. */
function request(chunks: readonly Buffer[], headers: Record<string, string> = {}): IncomingMessage {
  return Object.assign(chunks.length > 0 ? Readable.from(chunks) : emptyStream(), {
    headers,
  }) as unknown as IncomingMessage;
}

function emptyStream(): Readable {
  return new Readable({
    read() {
      this.push(null);
    },
  });
}

function chunksOf(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, index * size + size),
  );
}
