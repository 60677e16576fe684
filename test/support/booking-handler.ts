import type { EventHandler, HandlerContext } from '@mailroom/inbox';
import type { HandlerOutcome } from '@mailroom/kernel';
import { bookEffect } from './inbox-fixtures.ts';

/** A handler of the plain test event: books its effect, which doubles visibly when it is applied twice, then answers as told. */
export function bookingHandler(
  answer: (context: HandlerContext) => HandlerOutcome | Promise<HandlerOutcome>,
): EventHandler {
  return {
    provider: 'stripe',
    eventType: 'test.event',
    async handle(context) {
      await bookEffect(context.tx, context.event.eventId);
      return await answer(context);
    },
  };
}
