import type { Database } from '@mailroom/db';
import type { Handler } from '@mailroom/domain';
import { type ClaimedEvent, type FindHandler, type HandledClaim, holdForPause, park, takeTurn } from '@mailroom/inbox';
import type { PauseWatch } from './pause-watch.ts';

/** Why a claimed event does not run now; it is set aside and its attempt given back. */
export interface SetAside {
  readonly claimed: ClaimedEvent;
  readonly outcome: 'parked' | 'held';
}

/**
 * Which claimed events may run: not those without a handler here, not those that are paused, and of handlers that serialize not those
 * whose object is somebody else's turn.
 */
export function createAdmission(options: {
  readonly control: Database;
  readonly findHandler: FindHandler<Handler>;
  readonly pauses: PauseWatch;
}): (batch: readonly ClaimedEvent[]) => Promise<{ admitted: readonly HandledClaim[]; setAside: readonly SetAside[] }> {
  const { control, findHandler, pauses } = options;
  return async (batch) => {
    const admitted: HandledClaim[] = [];
    const setAside: SetAside[] = [];
    for (const claimed of batch) {
      const pause = pauses.pauseOf(claimed);
      const handler = findHandler(claimed.provider, claimed.eventType);
      if (pause) {
        await holdForPause(control, pause, [claimed]);
        setAside.push({ claimed, outcome: 'held' });
      } else if (!handler) {
        await park(control, claimed);
        setAside.push({ claimed, outcome: 'parked' });
      } else if (handler.serialize && !(await takeTurn(control, claimed))) {
        setAside.push({ claimed, outcome: 'held' });
      } else {
        admitted.push({ claimed, handler });
      }
    }
    return { admitted, setAside };
  };
}
