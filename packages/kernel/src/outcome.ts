/**
 * What a handler says about an event. A handler that throws says "try again with backoff".
 *
 * - `done`: the effect is written; it commits together with the record of it.
 * - `ignored`: nothing to do, and that is right. Final.
 * - `snooze`: not now; look again after `delayMs` milliseconds. Burns no attempt.
 * - `reject`: never; buried at once with `code` and `reason` for a person.
 */
export type HandlerOutcome =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'ignored'; readonly reason: string }
  | { readonly outcome: 'snooze'; readonly delayMs: number; readonly reason: string }
  | { readonly outcome: 'reject'; readonly code: string; readonly reason: string };

/** The effect is written. */
export const done: HandlerOutcome = { outcome: 'done' };

/** Nothing to do, and that is right; `reason` is kept with the row. */
export function ignored(reason: string): HandlerOutcome {
  return { outcome: 'ignored', reason };
}

/** Look again after `delayMs` milliseconds without burning an attempt. Everything the handler wrote is rolled back. */
export function snooze(delayMs: number, reason: string): HandlerOutcome {
  return { outcome: 'snooze', delayMs, reason };
}

/** Bury the event at once. Everything the handler wrote is rolled back. */
export function reject(code: string, reason: string): HandlerOutcome {
  return { outcome: 'reject', code, reason };
}
