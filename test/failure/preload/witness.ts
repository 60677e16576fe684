// Loaded into a worker: every handler also writes a row that nothing makes unique, in the transaction of its own writes. The
// example's handlers are idempotent and would hide an event that was applied twice.
import type { Tx } from '@mailroom/db';
import { type Handler, handlers } from '@mailroom/domain';
import type { HandlerOutcome } from '@mailroom/kernel';
import { sql } from 'kysely';

for (const handler of handlers) Object.assign(handler, witnessed({ ...handler }));

function witnessed(original: Handler): Partial<Handler> {
  return {
    handle: async (context) => {
      const outcome = await original.handle(context);
      await write(context.tx, [context.event.eventId], [outcome]);
      return outcome;
    },
    ...(original.handleMany && {
      handleMany: async (contexts) => {
        const outcomes = (await original.handleMany?.(contexts)) ?? [];
        const [first] = contexts;
        const ids = contexts.map(({ event }) => event.eventId);
        if (first) await write(first.tx, ids, outcomes);
        return outcomes;
      },
    }),
  };
}

async function write(tx: Tx, eventIds: readonly string[], outcomes: readonly HandlerOutcome[]): Promise<void> {
  const done = eventIds.filter((_, index) => outcomes[index]?.outcome === 'done');
  if (done.length === 0) return;
  await sql`insert into chaos_effects (event_id) select unnest(${done}::text[])`.execute(tx);
}
