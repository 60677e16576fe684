import type { Handler } from '@mailroom/domain';
import type { GivenEvent } from './apply-event.ts';
import { sampleEvents, sampleNowMs } from './provider-events.ts';
import { objectOf, refetched } from './refetched.ts';

export interface Story {
  /** What must have happened before the handler can do its samples. */
  readonly before: readonly GivenEvent[];
  readonly samples: readonly GivenEvent[];
}

/** The samples of a handler's events, and what must have come before them. */
export function storyOf({ provider, eventType }: Pick<Handler, 'provider' | 'eventType'>): Story {
  const events = [...sampleEvents(provider), ...answers(provider)];
  return {
    // An entry needs its account, which appears with the first transition of its holder.
    before: eventType.startsWith('transactions.') ? ofType(events, 'usertransitions.ACTIVE') : [],
    samples: ofType(events, eventType),
  };
}

function ofType(events: readonly GivenEvent[], eventType: string): readonly GivenEvent[] {
  return events.filter(({ event }) => event.eventType === eventType);
}

// No provider sends these: the relay makes them of what the provider answered.
function answers(provider: string): readonly GivenEvent[] {
  if (provider !== 'stripe') return [];
  const samples = sampleEvents(provider);
  const askedAt = new Date(sampleNowMs + 2_000);
  return [
    ['subscription', 'customer.subscription.updated'],
    ['charge', 'charge.refunded'],
    ['invoice', 'invoice.paid'],
  ].flatMap(([type = '', eventType = '']) =>
    ofType(samples, eventType).map((about, index) =>
      refetched(about, { type, outboxId: `${index + 1}`, askedAt, object: objectOf(about) }),
    ),
  );
}
