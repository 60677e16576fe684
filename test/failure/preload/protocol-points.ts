// Loaded into a worker: recognises the statements that go out on its sockets and, when told to, kills it, stops it or resets the
// connection exactly there. The product has no hooks for this. A statement that is worded differently some day is never reached,
// and the run says so.
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { type PointAct, type ProtocolPoint, reachedLine, type WorkerMessage } from '../protocol-point.ts';

const wordings = {
  claim: 'with due as materialized (',
  handler: 'insert into "invoices"',
  failure: 'with settled as (',
} as const;

type Statement = keyof typeof wordings | 'commit' | 'rollback';
type Write = (this: Socket, ...args: unknown[]) => boolean;

const write = Reflect.get(Socket.prototype, 'write') as Write;
/** What the statements of a connection are, by the name under which they were prepared; '' is the one without a name. */
const prepared = new WeakMap<Socket, Map<string, Statement | null>>();
/** Connections whose transaction has run a handler. */
const handling = new WeakSet<Socket>();
let armed: { readonly point: ProtocolPoint; readonly act: PointAct } | null = null;

process.on('message', (message: WorkerMessage) => {
  if ('arm' in message) armed = message.arm;
  if ('disarm' in message) armed = null;
});
process.channel?.unref();

Reflect.set(Socket.prototype, 'write', function (this: Socket, ...args: unknown[]): boolean {
  switch (statementIn(this, args[0])) {
    case 'claim':
      if (armed?.point === 'after_claim') this.on('data', whenClaimed);
      break;
    case 'handler':
      handling.add(this);
      return after('in_handler', this, args);
    case 'failure':
      return before('before_failure_record', this, args);
    case 'commit':
      if (!handling.delete(this)) break;
      return armed?.point === 'before_commit' ? before('before_commit', this, args) : after('after_commit', this, args);
    case 'rollback':
      handling.delete(this);
      break;
    case null:
  }
  return write.apply(this, args);
});

/**
 * What begins with this message: a Query, or the Bind of a statement that was named by a Parse, now or long ago. The driver
 * writes one message at a time. https://www.postgresql.org/docs/18/protocol-message-formats.html
 */
function statementIn(socket: Socket, chunk: unknown): Statement | null {
  if (!(chunk instanceof Uint8Array)) return null;
  const type = String.fromCharCode(chunk[0] ?? 0);
  if (type !== 'Q' && type !== 'P' && type !== 'B') return null;
  const start = chunk.subarray(5, 5 + maxLooked);
  const [first = '', second = ''] = Buffer.from(start.buffer, start.byteOffset, start.length)
    .toString('latin1')
    .split('\0', 2);
  if (type === 'Q') return first === 'commit' || first === 'rollback' ? first : null;
  // A Bind names its portal first, then the statement.
  if (type === 'B') return prepared.get(socket)?.get(second) ?? null;
  const known = prepared.get(socket) ?? new Map<string, Statement | null>();
  prepared.set(socket, known.set(first, statementOf(second)));
  return null;
}

const maxLooked = 300;

function statementOf(text: string): Statement | null {
  // The relay claims too, in much the same words; the points are those of events.
  if (text.includes('outbox')) return null;
  const [found] = Object.entries(wordings).find(([, wording]) => text.includes(wording)) ?? [];
  return (found ?? null) as Statement | null;
}

/** A claim that brought something is committed when its answer is here. */
function whenClaimed(this: Socket, chunk: Buffer): void {
  const answer = chunk.toString('latin1');
  if (/UPDATE \d+\0/.test(answer)) this.off('data', whenClaimed);
  if (armed?.point === 'after_claim' && /UPDATE [1-9]\d*\0/.test(answer)) act(this);
}

function before(point: ProtocolPoint, socket: Socket, args: unknown[]): boolean {
  if (armed?.point === point) act(socket);
  return write.apply(socket, args);
}

/** When the bytes have been handed to the system. */
function after(point: ProtocolPoint, socket: Socket, args: unknown[]): boolean {
  if (armed?.point !== point) return write.apply(socket, args);
  const [chunk, encoding, callback] = args;
  const told = [encoding, callback].find((each) => typeof each === 'function') as ((e?: Error) => void) | undefined;
  return write.call(socket, chunk, (error?: Error) => {
    if (armed?.point === point) act(socket);
    told?.(error);
  });
}

function act(socket: Socket): void {
  const how = armed?.act;
  armed = null;
  if (how === undefined) return;
  try {
    writeSync(2, `${reachedLine}\n`);
  } catch {
    // Its reader will find out otherwise.
  }
  if (how === 'cut') socket.resetAndDestroy();
  else process.kill(process.pid, how);
}
