import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** Milliseconds. Default 10 s: far more than anything here needs, so that only a fault reaches it. */
  readonly deadlineMs?: number;
  /** Milliseconds between two looks. */
  readonly everyMs?: number;
}

/**
 * Looks until `condition` gives something truthy and resolves with it. A condition that throws is one that does not hold yet.
 * After the deadline it rejects with a message that names `what`, written so that "waited for ..." reads well.
 */
export async function waitFor<T>(
  what: string,
  condition: () => T | Promise<T>,
  { deadlineMs = 10_000, everyMs = 20 }: WaitOptions = {},
): Promise<NonNullable<T>> {
  const deadlineAtMs = Date.now() + deadlineMs;
  let last: { readonly error?: unknown } = {};
  for (;;) {
    try {
      const found = await condition();
      if (found) return found;
      last = {};
    } catch (error) {
      last = { error };
    }
    if (Date.now() >= deadlineAtMs) throw deadlinePassed(what, deadlineMs, last);
    await delay(everyMs);
  }
}

function deadlinePassed(what: string, deadlineMs: number, last: { readonly error?: unknown }): Error {
  const reason = last.error instanceof Error ? `; the last look threw: ${last.error.message}` : '';
  return new Error(`waited for ${what}, but it did not happen within ${deadlineMs} ms${reason}`, { cause: last.error });
}
