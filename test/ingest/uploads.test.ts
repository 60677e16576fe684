import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';
import { type IngestProcess, startIngest } from './ingest-process.ts';
import { countRows } from './ledger.ts';
import { openRaw, type RawConnection, talk } from './raw-http.ts';
import { headOf, onTheWire, signed, stripeEvent } from './signed-request.ts';

let test: TestDatabase;
let ingest: IngestProcess;

beforeAll(async () => {
  test = await createTestDatabase();
  ingest = await startIngest({ databaseUrl: test.url });
});
afterAll(async () => {
  await ingest.stop();
  await test.drop();
});

const limit = 20_000;
const connect = '/webhooks/stripe/connect';

describe('a body over the limit of its endpoint', () => {
  it('of a declared length is told 413 and never stored', async () => {
    const { answers } = await talk(ingest.port, onTheWire(signed(Buffer.alloc(limit + 1, 'x')), { path: connect }));
    expect(answers.map(({ status, body }) => [status, body])).toEqual([[413, '']]);
    expect(await countRows(test.database)).toBe(0);
  });

  it('without a declared length is told 413 as well', async () => {
    const request = onTheWire(signed(Buffer.alloc(limit + 1, 'x')), { path: connect, chunkedBy: 1_000 });
    expect((await talk(ingest.port, request)).answers.map(({ status }) => status)).toEqual([413]);
  });

  it('is told so even when the client reads nothing before it has sent everything', async () => {
    const size = 20 * 1024 * 1024;
    const connection = await openRaw(ingest.port);
    connection.socket.pause();
    connection.write(headOf(signed(Buffer.alloc(size)), { path: connect }));
    await send(connection, size);
    connection.socket.resume();
    expect((await connection.closed()).answers.map(({ status }) => status)).toEqual([413]);
  });

  it('of one byte less is judged by its signature', async () => {
    const { answers } = await talk(ingest.port, onTheWire(signed(Buffer.alloc(limit, 'x')), { path: connect }));
    expect(answers.map(({ status }) => status)).toEqual([401]);
  });
});

it.skipIf(process.platform !== 'linux')(
  '50 uploads of 100 MB at once each read their 413, a delivery beside them is stored, and memory stays bounded (skipped off Linux: the peak is read from /proc)',
  async () => {
    const uploads = 50;
    const size = 100 * 1024 * 1024;
    const connections = await Promise.all(Array.from({ length: uploads }, () => openRaw(ingest.port)));
    const before = residentMegabytes();
    const sent = connections.map(async (connection) => {
      connection.write(headOf(signed(Buffer.alloc(0)), { chunkedBy: 1 }));
      await sendChunked(connection, size);
    });
    const answers = await Promise.all(connections.map((connection) => connection.answer()));
    expect(answers.map(({ status }) => status)).toEqual(Array(uploads).fill(413));
    // A machine that is busy with 5 GB may miss the answer deadline once; then it is sent again, as a provider would.
    const beside = onTheWire(stripeEvent());
    await waitFor('the delivery beside them to be accepted', async () => {
      return (await talk(ingest.port, beside)).answers[0]?.status === 200;
    });
    await Promise.all(sent);
    await Promise.all(connections.map((connection) => connection.closed()));

    const peak = peakMegabytes();
    process.stdout.write(`ingestor: ${before} MB before, ${peak} MB at the peak of ${uploads} uploads of 100 MB\n`);
    // Their bodies are 5000 MB; the limit times the connections, twice over for a buffer that grows, is 100 MB.
    expect(peak - before).toBeLessThan(300);
  },
);

/** Writes until everything is out or the other side has had enough. */
async function send(connection: RawConnection, bytes: number): Promise<void> {
  const piece = Buffer.alloc(65_536, 'x');
  for (let left = bytes; left > 0 && connection.socket.writable; left -= piece.length) {
    await written(connection, piece.subarray(0, Math.min(left, piece.length)));
  }
}

async function sendChunked(connection: RawConnection, bytes: number): Promise<void> {
  const piece = Buffer.alloc(65_536, 'x');
  const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
  for (let left = bytes; left > 0 && connection.socket.writable; left -= piece.length) await written(connection, chunk);
  if (connection.socket.writable) connection.write('0\r\n\r\n');
}

/** Resolves when the bytes were taken or the connection is gone; which of the two is the answer's matter. */
function written({ socket }: RawConnection, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    socket.write(bytes, () => resolve());
  });
}

function residentMegabytes(): number {
  return megabytes('VmRSS');
}

function peakMegabytes(): number {
  return megabytes('VmHWM');
}

function megabytes(field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${ingest.process.pid}/status`, 'utf8');
  const kilobytes = new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1];
  return Math.round(Number(kilobytes) / 1024);
}
