import type { ClaimedEvent } from '@mailroom/inbox';
import { formatEventKey } from '@mailroom/kernel';

/** What a worker holds: claimed rows that wait, and those in a batch. */
export interface ClaimQueue {
  /** Everything held, for the leases. */
  held(): readonly ClaimedEvent[];
  heldCount(): number;
  waitingCount(): number;
  push(events: readonly ClaimedEvent[]): void;
  /** Takes the next batch, endpoints in turn, oldest first in each; empty where nothing may begin now. */
  take(): readonly ClaimedEvent[];
  /** Ends a batch. Those in `again` wait once more, before everything else. */
  release(batch: readonly ClaimedEvent[], again: readonly ClaimedEvent[]): void;
  /** Takes out everything that waits. */
  clear(): readonly ClaimedEvent[];
}

/**
 * Hands claimed rows out in batches: one row each while there is a slot for every one, so that few rows run side by side; with more
 * than that a third of what waits, so that many share commits. A third and not a tenth, for ten slots: sets became 3.4 and own rows 1.9
 * times as fast, ordinary handlers no faster (medians of three interleaved `npm run bench -- --only work --match Mailroom --quick`).
 * Two batches of one worker never hold events of the same object, so they do not meet on its rows. An event that failed before is a
 * batch of its own: it may be the poison that would cost others their batch.
 */
export function createClaimQueue(options: { readonly slots: number; readonly batchRows: number }): ClaimQueue {
  let waiting: ClaimedEvent[] = [];
  const inBatch = new Map<string, ClaimedEvent>();
  const busyObjects = new Set<string>();

  return {
    held: () => [...inBatch.values(), ...waiting],
    heldCount: () => inBatch.size + waiting.length,
    waitingCount: () => waiting.length,
    push: (events) => {
      waiting = endpointsInTurn([...waiting, ...events]);
    },
    take,
    release,
    clear: () => {
      const cleared = waiting;
      waiting = [];
      return cleared;
    },
  };

  function take(): readonly ClaimedEvent[] {
    const share =
      waiting.length <= options.slots ? 1 : Math.min(options.batchRows, Math.ceil(waiting.length / fullBatches));
    const batch: ClaimedEvent[] = [];
    const rest: ClaimedEvent[] = [];
    for (const [index, event] of waiting.entries()) {
      if (batch.length >= share) {
        rest.push(...waiting.slice(index));
        break;
      }
      const object = objectOf(event);
      const retried = event.attempts > 1;
      if ((object !== null && busyObjects.has(object)) || (retried && batch.length > 0)) {
        rest.push(event);
        continue;
      }
      batch.push(event);
      if (retried) {
        rest.push(...waiting.slice(index + 1));
        break;
      }
    }
    waiting = rest;
    for (const event of batch) {
      inBatch.set(formatEventKey(event), event);
      const object = objectOf(event);
      if (object !== null) busyObjects.add(object);
    }
    return batch;
  }

  function release(batch: readonly ClaimedEvent[], again: readonly ClaimedEvent[]): void {
    for (const event of batch) {
      inBatch.delete(formatEventKey(event));
      const object = objectOf(event);
      if (object !== null) busyObjects.delete(object);
    }
    waiting = [...again, ...waiting];
  }
}

/** One event of each endpoint, then the next of each: what a flood of one of them brought waits behind no more than its own. */
function endpointsInTurn(events: readonly ClaimedEvent[]): ClaimedEvent[] {
  const seen = new Map<string, number>();
  const withRound = events.map((event) => {
    const endpoint = `${event.provider} ${event.endpoint}`;
    const round = seen.get(endpoint) ?? 0;
    seen.set(endpoint, round + 1);
    return { event, round };
  });
  return withRound.toSorted((a, b) => a.round - b.round).map(({ event }) => event);
}

/** Batches in flight that keep the database busy. */
const fullBatches = 3;

function objectOf({ provider, objectKey }: ClaimedEvent): string | null {
  return objectKey === null ? null : `${provider} ${objectKey}`;
}
