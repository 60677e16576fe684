import { type Database, inTransaction, type Tx } from '@mailroom/db';
import { type HandledEvent, type Handler, handlers } from '@mailroom/domain';
import type { HandlerOutcome, JsonValue } from '@mailroom/kernel';

/** One event as a worker would hand it to its handler. */
export interface GivenEvent {
  readonly event: HandledEvent;
  readonly payload: JsonValue;
}

/**
 * Applies events one after another, each in a transaction of its own that ends as a worker would end it: what a handler wrote
 * is rolled back when it rejects or snoozes.
 */
export async function applyEvents(
  database: Database,
  events: readonly GivenEvent[],
): Promise<readonly HandlerOutcome[]> {
  const outcomes: HandlerOutcome[] = [];
  for (const given of events) outcomes.push(await applyEvent(database, given));
  return outcomes;
}

export async function applyEvent(database: Database, given: GivenEvent): Promise<HandlerOutcome> {
  try {
    return await inTransaction(database, async (tx) => {
      const outcome = await callHandler(tx, given);
      if (outcome.outcome === 'reject' || outcome.outcome === 'snooze') throw new RolledBack(outcome);
      return outcome;
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.outcome;
    throw error;
  }
}

/** Calls the handler of an event in a transaction that the test ends itself. */
export async function callHandler(tx: Tx, { event, payload }: GivenEvent): Promise<HandlerOutcome> {
  return await handlerOf(event).handle({ tx, event, payload, body: Buffer.from('') });
}

function handlerOf(event: HandledEvent): Handler {
  const found = handlers.find(
    ({ provider, eventType }) => provider === event.provider && eventType === event.eventType,
  );
  if (!found) throw new Error(`no handler for ${event.provider} ${event.eventType}`);
  return found;
}

class RolledBack extends Error {
  readonly outcome: HandlerOutcome;

  constructor(outcome: HandlerOutcome) {
    super(outcome.outcome);
    this.outcome = outcome;
  }
}
