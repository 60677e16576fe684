import type { IncomingMessage } from 'node:http';

/**
 * Lets the rest of an upload that was refused run out, unread and unkept, and resolves when it has ended, broken off, or
 * gone past a bound.
 */
export type DrainUpload = (incoming: IncomingMessage) => Promise<void>;

/**
 * Closing a connection while bytes are still coming makes the kernel reset it, and a client that is still writing then sees
 * the reset in place of its answer (RFC 9112, section 9.6); so the rest has to be read. All drains together read at a
 * bounded pace, taking turns: read at full speed, 50 uploads of 100 MB kept other deliveries waiting past their deadline.
 */
export function createUploadDrain(): DrainUpload {
  const waiting: (() => void)[] = [];
  let turns: NodeJS.Timeout | undefined;

  return (incoming) => {
    if (incoming.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      let bytes = 0;
      let allowed = 0;
      let finished = false;
      const deadline = setTimeout(finish, drainDeadlineMs);
      incoming.on('data', onData);
      incoming.on('end', finish);
      incoming.on('error', finish);
      incoming.on('close', finish);
      waitForTurn(readOn);

      function readOn(): void {
        if (finished) return;
        allowed = bytesPerTurn;
        incoming.resume();
      }
      function onData(chunk: Buffer): void {
        bytes += chunk.length;
        allowed -= chunk.length;
        if (bytes > maxDrainedBytes) finish();
        else if (allowed <= 0 && !incoming.isPaused()) {
          incoming.pause();
          waitForTurn(readOn);
        }
      }
      function finish(): void {
        finished = true;
        clearTimeout(deadline);
        incoming.off('data', onData);
        incoming.off('end', finish);
        incoming.off('close', finish);
        resolve();
      }
    });
  };

  function waitForTurn(readOn: () => void): void {
    waiting.push(readOn);
    turns ??= setInterval(giveTurns, turnEveryMs);
  }

  function giveTurns(): void {
    for (const readOn of waiting.splice(0, turnsAtOnce)) readOn();
    if (waiting.length > 0) return;
    clearInterval(turns);
    turns = undefined;
  }
}

/** Above any provider's largest body (GitHub: 25 MB), so that every honest sender reads its 413. */
const maxDrainedBytes = 64 * 1024 * 1024;
const drainDeadlineMs = 5_000;

/** One upload alone: 50 MB/s. All together: 200 MB/s, a quarter of what one process can read. */
const bytesPerTurn = 256 * 1024;
const turnEveryMs = 5;
const turnsAtOnce = 4;
