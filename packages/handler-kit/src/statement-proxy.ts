import { type CuttableProxy, startCuttableProxy } from './cuttable-proxy.ts';

/** A proxy in front of PostgreSQL that takes a connection away just when a statement has run and before its answer is heard. */
export interface StatementProxy {
  /** The server's URL, through the proxy. */
  readonly url: string;
  /**
   * Lets `statements` answers pass from now on, over all connections, and cuts the connection instead of delivering the next:
   * that statement, which may be a COMMIT, has run and its client never learns it. Once; what comes after passes.
   */
  readonly cutAfter: (statements: number) => void;
  /** Whether it has cut since `cutAfter`. */
  readonly hasCut: () => boolean;
  readonly close: () => Promise<void>;
}

/** Starts it. BEGIN, COMMIT and ROLLBACK are statements too. The connection must not be encrypted. */
export async function startStatementProxy(serverUrl: string): Promise<StatementProxy> {
  let left = Number.POSITIVE_INFINITY;
  let hasCut = false;

  const proxy: CuttableProxy = await startCuttableProxy(serverUrl, {
    watch: () => {
      const ends = answerEnds();
      let greeted = false;
      return (chunk) => {
        for (const at of ends(chunk)) {
          if (!greeted) greeted = true;
          else if (left > 0) left -= 1;
          else {
            left = Number.POSITIVE_INFINITY;
            hasCut = true;
            return at;
          }
        }
        return chunk.length;
      };
    },
  });

  return {
    url: proxy.url,
    cutAfter: (statements) => {
      left = statements;
      hasCut = false;
    },
    hasCut: () => hasCut,
    close: proxy.close,
  };
}

/**
 * Finds in the bytes of one connection where each "ready for query" begins, the last message of an answer and of the greeting.
 * https://www.postgresql.org/docs/18/protocol-message-formats.html: a type byte, a length that counts itself, the rest.
 */
function answerEnds(): (chunk: Buffer) => number[] {
  let head = Buffer.alloc(0);
  let body = 0;
  return (chunk) => {
    const found: number[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (body > 0) {
        const skipped = Math.min(body, chunk.length - at);
        body -= skipped;
        at += skipped;
        continue;
      }
      const taken = chunk.subarray(at, at + headLength - head.length);
      const begin = Math.max(0, at - head.length);
      head = Buffer.concat([head, taken]);
      at += taken.length;
      if (head.length < headLength) break;
      if (head[0] === readyForQuery) found.push(begin);
      body = head.readInt32BE(1) - 4;
      head = Buffer.alloc(0);
    }
    return found;
  };
}

const headLength = 5;
const readyForQuery = 'Z'.charCodeAt(0);
