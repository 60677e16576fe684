import { connect, type Socket } from 'node:net';

/** One answer as it came off the wire. Header names in lower case. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Everything one connection was told until it was closed. */
export interface RawConversation {
  readonly answers: readonly RawAnswer[];
  /** Bytes after the last whole answer: a broken answer, or nothing. */
  readonly rest: string;
}

export interface RawConnection {
  readonly socket: Socket;
  write(data: string | Buffer): void;
  /** Resolves with the answer of that number, counted from 0, once it is whole. Rejects when the connection ends before. */
  answer(number?: number): Promise<RawAnswer>;
  /** Resolves when the connection is closed, by whomever. Never rejects: how a connection breaks is part of the talk. */
  closed(): Promise<RawConversation>;
}

/** A TCP connection that speaks HTTP byte by byte, so that a test decides what is on the wire. */
export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1');
  const wakers = new Set<() => void>();
  let received = '';
  let isClosed = false;
  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    wake();
  });
  socket.on('close', () => {
    isClosed = true;
    wake();
  });
  const connected = Promise.withResolvers<void>();
  socket.once('connect', connected.resolve);
  socket.on('error', connected.reject);
  await connected.promise;

  return {
    socket,
    write: (data) => void socket.write(data),
    answer: (number = 0) =>
      until(() => {
        const found = parseAnswers(received).answers[number];
        if (!found && isClosed) throw new Error(`closed before answer ${number}, after ${JSON.stringify(received)}`);
        return found;
      }),
    closed: () => until(() => (isClosed ? parseAnswers(received) : undefined)),
  };

  function wake(): void {
    for (const waker of wakers) waker();
  }

  function until<T>(found: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      wakers.add(look);
      look();
      function look(): void {
        try {
          const value = found();
          if (value === undefined) return;
          wakers.delete(look);
          resolve(value);
        } catch (error) {
          wakers.delete(look);
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      }
    });
  }
}

/** Sends one thing on a connection of its own and waits until that is closed. The request must ask for it, or break it. */
export async function talk(port: number, data: string | Buffer): Promise<RawConversation> {
  const connection = await openRaw(port);
  connection.write(data);
  return await connection.closed();
}

function parseAnswers(received: string): RawConversation {
  const answers: RawAnswer[] = [];
  let rest = received;
  for (;;) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) return { answers, rest };
    const [statusLine = '', ...lines] = rest.slice(0, headEnd).split('\r\n');
    const headers = new Map(lines.map((line) => splitHeader(line)));
    const status = Number(statusLine.split(' ')[1]);
    const bodyStart = headEnd + 4;
    const bodyEnd = bodyStart + Number(headers.get('content-length') ?? 0);
    if (rest.length < bodyEnd) return { answers, rest };
    // Node's own refusals of a request without Host are chunked and empty.
    const end = headers.get('transfer-encoding') === 'chunked' ? bodyStart + '0\r\n\r\n'.length : bodyEnd;
    answers.push({ status, headers, body: rest.slice(bodyStart, bodyEnd) });
    rest = rest.slice(end);
  }
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
