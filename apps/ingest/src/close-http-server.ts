import type { Server } from 'node:http';
import type { RequestsInFlight } from './requests-in-flight.ts';

/**
 * Stops accepting and lets every request that has begun have its whole answer. Idle connections are closed at once, and so
 * is, in the end, whatever never became a request; its sender sees the connection end before any byte of an answer.
 */
export async function closeHttpServer(server: Server, requests: RequestsInFlight): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    // Its only error is "not running", which is what was wanted.
    server.close(() => resolve());
  });
  await requests.finish();
  server.closeAllConnections();
  await closed;
}
