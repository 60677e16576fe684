import { classifyDatabaseError, type Database } from '@mailroom/db';
import type { EventKey } from '@mailroom/kernel';
import { type DuplicatesOfEvent, duplicatesOfEvent } from '../queries/duplicates-of-event.ts';
import { type Effects, effectsOfEvent } from '../queries/effects-of-event.ts';
import { type BodyFacts, bodyFacts } from '../queries/event-body.ts';
import { type EventRow, findEvent } from '../queries/event-row.ts';
import { type FailedAttempts, failedAttempts } from '../queries/failed-attempts.ts';
import { queuePosition } from '../queries/queue-position.ts';
import { eventsWithSameBody, type SameBody } from '../queries/same-body.ts';
import { readOnly } from '../read-only.ts';
import { type Explanation, whyNotRunning } from './why-not-running.ts';

/** Everything the database knows about one event, but its payload. */
export interface EventStory {
  readonly event: EventRow;
  readonly explanation: Explanation;
  /** Null: the body has expired. */
  readonly body: BodyFacts | null;
  readonly failures: FailedAttempts;
  readonly duplicates: DuplicatesOfEvent | null;
  /** Null: the id is signed, so the bytes cannot have come under another. */
  readonly sameBody: SameBody | null;
  /** Null: the tables are too large to search within the time this command gives them. */
  readonly effects: Effects | null;
}

/** Null where the ledger has no such event. */
export async function readStory(database: Database, key: EventKey): Promise<EventStory | null> {
  const story = await readOnly(database, async (tx) => {
    const event = await findEvent(tx, key);
    if (event === null) return null;
    const waits = event.state === 'pending' && event.leasedBy === null && event.availableAt <= event.now;
    return {
      event,
      explanation: whyNotRunning(event, waits ? await queuePosition(tx, event) : null),
      body: await bodyFacts(tx, event.deliveryId),
      failures: await failedAttempts(tx, key),
      duplicates: await duplicatesOfEvent(tx, key),
      sameBody: await eventsWithSameBody(tx, key),
    };
  });
  return story === null ? null : { ...story, effects: await searchEffects(database, key) };
}

/** Apart from the rest, so that a search which takes too long costs only itself. */
async function searchEffects(database: Database, key: EventKey): Promise<Effects | null> {
  try {
    return await readOnly(database, (tx) => effectsOfEvent(tx, key), searchTimeoutMs);
  } catch (error) {
    if (classifyDatabaseError(error) === 'statement_timeout') return null;
    throw error;
  }
}

const searchTimeoutMs = 5_000;
