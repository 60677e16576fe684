import type { Tx } from '@mailroom/db';
import { type HandlerOutcome, reject, snooze } from '@mailroom/kernel';
import type { z } from 'zod';
import { type EventTypeOf, type PayloadOf, schemaOf } from './event-payload.ts';
import type { Handler, HandlerContext, TiePolicy } from './handler.ts';
import { lockObject } from './object-lock.ts';

interface Declaration<Provider extends string, EventType extends string, Payload, Tie extends TiePolicy | null> {
  readonly provider: Provider;
  readonly eventType: EventType;
  /** See `Handler`. */
  readonly parked?: string;
  /**
   * What this handler needs from the payload. Fields it does not name are let through unread. Left out: next to nothing is
   * checked, and the payload has the type that is known of the event (`PayloadOf`), in which every field may be missing.
   */
  readonly payload?: z.ZodType<Payload>;
  /** Required by whatever keeps a snapshot; given back with each event, so that what is declared is what is done. */
  readonly onTie?: Tie;
  /** See `Handler`. */
  readonly ownRowsOnly?: true;
  /** See `Handler`. A tie policy of `serialize` implies `wait`. */
  readonly serialize?: 'wait' | 'overtake';
}

interface OneByOne<Payload, Tie extends TiePolicy | null> {
  /**
   * It works long on one object (seconds, many rows). Only one worker at a time is let in for an object; another leaves at
   * once, without an attempt burned, instead of holding a connection in the queue for a row lock.
   */
  readonly heavy?: true;
  /** Sees only a payload that fits; its type is the schema's output. */
  handle(context: DefinedContext<Payload, Tie>): Promise<HandlerOutcome>;
  readonly handleMany?: never;
}

interface InSets<Payload, Tie extends TiePolicy | null> {
  /**
   * Does one event or many in the same few statements, see `Handler`. Sees only events whose payload fits, at least one, all of
   * them in the transaction `tx`.
   */
  handleMany(tx: Tx, events: readonly DefinedContext<Payload, Tie>[]): Promise<readonly HandlerOutcome[]>;
  readonly handle?: never;
  readonly heavy?: never;
}

/** What `defineHandler` makes a handler of: its declarations, and `handle` or `handleMany`. */
export type HandlerDefinition<
  Provider extends string,
  EventType extends string,
  Payload,
  Tie extends TiePolicy | null,
> = Declaration<Provider, EventType, Payload, Tie> & (OneByOne<Payload, Tie> | InSets<Payload, Tie>);

export type DefinedContext<Payload, Tie extends TiePolicy | null> = HandlerContext<Payload> & { readonly onTie: Tie };

/**
 * Makes a handler whose payload is checked at the edge. A payload that does not fit is rejected as `unexpected_payload`: the
 * reason names the fields, never what was found in them, for it is shown to operators and kept longer than the body.
 * Issues of a schema's own (`refine`, `error`) are repeated as they are, so they must not quote the value either.
 */
export function defineHandler<
  const Provider extends string,
  const EventType extends EventTypeOf<Provider>,
  Payload = PayloadOf<Provider, EventType>,
  const Tie extends TiePolicy | null = null,
>(definition: HandlerDefinition<Provider, EventType, Payload, Tie>): Handler {
  const { provider, eventType, parked, ownRowsOnly, heavy } = definition;
  const schema = definition.payload ?? schemaOf<Payload>(provider);
  const onTie = definition.onTie ?? null;
  const serialize = definition.serialize ?? (onTie === 'serialize' ? 'wait' : undefined);
  const handler = {
    provider,
    eventType,
    handle,
    ...(parked !== undefined && { parked }),
    ...(onTie && { onTie }),
    ...(ownRowsOnly && { ownRowsOnly }),
    ...(serialize && { serialize }),
  };
  if (definition.handleMany) return { ...handler, handleMany };
  return { ...handler, ...(heavy && { heavy }) };

  async function handle(context: HandlerContext): Promise<HandlerOutcome> {
    const { fitting, refusal } = read(context);
    if (!fitting) return refusal;
    if (heavy && !(await lockObject(context.tx, context.event))) {
      return snooze(busyDelayMs(), 'another worker is busy with this object');
    }
    if (definition.handle) return await definition.handle(fitting);
    const [outcome] = await inSet(context.tx, [fitting]);
    return outcome as HandlerOutcome;
  }

  async function handleMany(contexts: readonly HandlerContext[]): Promise<readonly HandlerOutcome[]> {
    const readings = contexts.map(read);
    const fitting = readings.flatMap((reading) => reading.fitting ?? []);
    const outcomes = (fitting[0] ? await inSet(fitting[0].tx, fitting) : []).values();
    return readings.map(({ refusal }) => refusal ?? (outcomes.next().value as HandlerOutcome));
  }

  async function inSet(tx: Tx, events: readonly DefinedContext<Payload, Tie>[]): Promise<readonly HandlerOutcome[]> {
    const outcomes = (await definition.handleMany?.(tx, events)) ?? [];
    if (outcomes.length === events.length) return outcomes;
    throw new Error(`${provider} ${eventType}: ${outcomes.length} outcomes for ${events.length} events`);
  }

  function read(context: HandlerContext): Reading<DefinedContext<Payload, Tie>> {
    const reading = schema.safeParse(context.payload);
    if (!reading.success) return { refusal: reject('unexpected_payload', describe(reading.error)) };
    return { fitting: { ...context, payload: reading.data, onTie: onTie as Tie } };
  }
}

type Reading<Context> =
  | { readonly fitting: Context; readonly refusal?: never }
  | { readonly fitting?: never; readonly refusal: HandlerOutcome };

function describe(error: z.ZodError): string {
  const issues = error.issues
    .slice(0, maxIssues)
    .map((issue) => `${['payload', ...issue.path].join('.')}: ${issue.message}`);
  if (error.issues.length > maxIssues) issues.push(`and ${error.issues.length - maxIssues} more`);
  return issues.join('; ');
}

// Enough to see what is wrong; a reason is one line on an operator's screen and at most 2000 characters in the table.
const maxIssues = 5;

// Spread, so that those who were turned away do not all come back in the same moment.
function busyDelayMs(): number {
  return 1_000 + Math.floor(Math.random() * 2_000);
}
