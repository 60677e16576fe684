import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyCardTransition, cardTransition } from './apply-transition.ts';

/** A card cannot be used any more, for good. */
export const cardtransitionsStateTerminated = defineHandler({
  provider: 'marqeta',
  eventType: 'cardtransitions.state.terminated',
  payload: cardTransition,
  onTie: 'keep',
  ownRowsOnly: true,
  async handle({ tx, event, payload: transition, onTie }) {
    await applyCardTransition(tx, event, transition, onTie);
    return done;
  },
});
