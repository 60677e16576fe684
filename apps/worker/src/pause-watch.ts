import type { Database } from '@mailroom/db';
import {
  breakerActor,
  type ClaimedEvent,
  claimCanary,
  endPause,
  openPauses,
  type Pause,
  pauseOf,
  releaseEnded,
} from '@mailroom/inbox';
import { type Logger, messageOf } from '@mailroom/kernel';

export interface PauseWatch {
  /** The pause that an event falls under, as of the last look. */
  pauseOf(event: ClaimedEvent): Pause | undefined;
  /** Reads the pauses in force, releases what ended ones held, tries breakers whose time has come. */
  look(): Promise<void>;
}

/**
 * Knows what is paused. `runCanary` runs one event of a breaker's held ones past its pause and answers whether it succeeded; then the
 * breaker closes by itself.
 */
export function watchPauses(options: {
  readonly control: Database;
  readonly worker: string;
  readonly leaseMs: number;
  readonly log: Logger;
  readonly runCanary: (event: ClaimedEvent) => Promise<boolean>;
}): PauseWatch {
  const { control, log } = options;
  let pauses: readonly Pause[] = [];
  return { pauseOf: (event) => pauseOf(pauses, event), look };

  async function look(): Promise<void> {
    try {
      pauses = await openPauses(control);
      const released = await releaseEnded(control, releaseAtOnce);
      if (released > 0) log.info('held_released', { rows: released });
      for (const pause of pauses) if (pause.nextCanaryAt !== null) await tryCanary(pause);
    } catch (error) {
      log.warn('pauses_not_read', { error: messageOf(error) });
    }
  }

  async function tryCanary(pause: Pause): Promise<void> {
    const canary = await claimCanary(control, pause, { ...options, nextAfterMs: canaryEveryMs });
    if (!canary || !(await options.runCanary(canary))) return;
    await endPause(control, pause.pauseId, breakerActor, 'a canary succeeded');
    log.info('breaker_closed', { pause: pause.pauseId });
  }
}

const releaseAtOnce = 2_000;
const canaryEveryMs = 10_000;
