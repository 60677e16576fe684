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

/**
 * Applies events as one batch: in one transaction, those of a type together, in sets where their handler takes sets. Fails
 * where one of them is not done.
 */
export async function applyBatch(
  database: Database,
  events: readonly GivenEvent[],
): Promise<readonly HandlerOutcome[]> {
  return await inTransaction(database, async (tx) => {
    const outcomes = new Map<GivenEvent, HandlerOutcome>();
    for (const group of Map.groupBy(events, ({ event }) => event.eventType).values()) {
      const answers = await callInSet(tx, group);
      for (const [index, given] of group.entries()) outcomes.set(given, answers[index] ?? noAnswer());
    }
    return events.map((given) => outcomes.get(given) ?? noAnswer());
  });
}

async function callInSet(tx: Tx, [first, ...others]: readonly GivenEvent[]): Promise<readonly HandlerOutcome[]> {
  if (!first) return [];
  const contexts = [first, ...others].map(({ event, payload }) => ({ tx, event, payload, body: Buffer.from('') }));
  const handler = handlerOf(first.event);
  if (handler.handleMany) return await handler.handleMany(contexts);
  const outcomes: HandlerOutcome[] = [];
  for (const context of contexts) outcomes.push(await handler.handle(context));
  return outcomes;
}

function noAnswer(): never {
  throw new Error('a handler gave no outcome for an event');
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
