import type { IncomingMessage } from 'node:http';

/**
 * Lets the rest of an upload that was refused run out, unread and unkept, and resolves when it has ended, broken off, or
 * gone past a bound. Closing a connection while bytes are still coming makes the kernel reset it, and a client that is
 * still writing then sees the reset in place of its answer (RFC 9112, section 9.6).
 */
export function drainUpload(incoming: IncomingMessage): Promise<void> {
  if (incoming.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    const deadline = setTimeout(finish, drainDeadlineMs);
    incoming.on('data', onData);
    incoming.on('end', finish);
    incoming.on('error', finish);
    incoming.on('close', finish);
    incoming.resume();

    function onData(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > maxDrainedBytes) finish();
    }
    function finish(): void {
      clearTimeout(deadline);
      incoming.off('data', onData);
      incoming.off('end', finish);
      incoming.off('close', finish);
      resolve();
    }
  });
}

/** Well above any provider's largest body (GitHub: 25 MB), so that every honest sender reads its 413. */
const maxDrainedBytes = 64 * 1024 * 1024;
const drainDeadlineMs = 5_000;
