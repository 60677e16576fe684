import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedPost {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface HttpReceiver {
  readonly url: string;
  readonly posts: readonly ReceivedPost[];
  /** From now on; 200 until it is told. Not called: the answer never comes. */
  answer(how: (response: ServerResponse, post: ReceivedPost) => void): void;
  close(): Promise<void>;
}

/** A receiver on loopback that keeps what it is posted. */
export async function startHttpReceiver(): Promise<HttpReceiver> {
  const posts: ReceivedPost[] = [];
  let how = (response: ServerResponse, _post: ReceivedPost): void => void response.end();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const post = { headers: request.headers, body: Buffer.concat(chunks).toString() };
      posts.push(post);
      how(response, post);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    posts,
    answer: (next) => {
      how = next;
    },
    close: () => close(server),
  };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
