import { setTimeout as delay } from 'node:timers/promises';

/** Looks every few milliseconds until `done` says so; false when the deadline passed first. */
export async function waitUntil(done: () => boolean, deadlineMs: number): Promise<boolean> {
  const deadlineAtMs = Date.now() + deadlineMs;
  while (!done()) {
    if (Date.now() >= deadlineAtMs) return false;
    await delay(20);
  }
  return true;
}
