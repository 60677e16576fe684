import type { Database } from '@mailroom/db';
import { CodedError } from '@mailroom/kernel';
import type { ClaimedEvent } from './claim.ts';
import { endPauseRow, holdRows, listOpenPauses, openPauseRow, releaseRows } from './sql/pauses.ts';

/** What is paused. */
export type PauseScope =
  | { readonly scope: 'endpoint'; readonly provider: string; readonly endpoint: string }
  | { readonly scope: 'event_type'; readonly provider: string; readonly eventType: string }
  | { readonly scope: 'failure_group'; readonly failureGroup: string };

export type Pause = PauseScope & {
  readonly pauseId: string;
  readonly openedBy: string;
  readonly reason: string;
  /** When a breaker tries one row; null for a pause that only an operator ends. */
  readonly nextCanaryAt: Date | null;
};

export interface PauseRequest {
  readonly what: PauseScope;
  /** An operator, or `rule:<name>`. */
  readonly actor: string;
  readonly reason: string;
  /** For a breaker: when to try the first row, milliseconds from now. */
  readonly canaryAfterMs?: number;
}

/**
 * Pauses an endpoint, an event type or a failure group: receiving goes on, rows wait as `held` outside the claim index, no attempt
 * burns. Workers notice within a second. One row of `operator_actions`. Answers the pause, or undefined where it is paused already.
 */
export function openPause(database: Database, request: PauseRequest): Promise<string | undefined> {
  return openPauseRow(database, request);
}

/**
 * Ends a pause; workers release its rows within seconds, a few thousand at a time. One row of `operator_actions`. Throws
 * `no_such_pause` where it is not open.
 */
export async function endPause(database: Database, pauseId: string, actor: string, reason: string): Promise<void> {
  if (await endPauseRow(database, pauseId, actor, reason)) return;
  throw new CodedError('no_such_pause', `there is no open pause ${pauseId}`);
}

/** The pauses in force, oldest first. Read only. */
export function openPauses(database: Database): Promise<readonly Pause[]> {
  return listOpenPauses(database);
}

/** The first pause that a claimed event falls under. */
export function pauseOf(pauses: readonly Pause[], event: ClaimedEvent): Pause | undefined {
  return pauses.find((pause) => {
    switch (pause.scope) {
      case 'endpoint':
        return pause.provider === event.provider && pause.endpoint === event.endpoint;
      case 'event_type':
        return pause.provider === event.provider && pause.eventType === event.eventType;
      case 'failure_group':
        return pause.failureGroup === event.failureGroup;
    }
  });
}

/** Sets claimed rows aside for a pause; the attempt is given back. Never waits. Answers how many were still ours. */
export function holdForPause(database: Database, pause: Pause, claimed: readonly ClaimedEvent[]): Promise<number> {
  return holdRows(database, claimed, heldByPause(pause.pauseId), `paused by ${pause.openedBy}: ${pause.reason}`);
}

/** Makes rows pending again whose pause has ended, at most `limit` a pause. Run at every sweep. Answers how many. */
export function releaseEnded(database: Database, limit: number): Promise<number> {
  return releaseRows(database, limit);
}

/** The value of `held_by` for rows that a pause holds. */
export function heldByPause(pauseId: string): string {
  return `pause:${pauseId}`;
}
