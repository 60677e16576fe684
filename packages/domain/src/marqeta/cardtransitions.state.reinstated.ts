import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyCardTransition, cardTransition } from './apply-transition.ts';

/** A suspended card can be used again. */
export const cardtransitionsStateReinstated = defineHandler({
  provider: 'marqeta',
  eventType: 'cardtransitions.state.reinstated',
  payload: cardTransition,
  onTie: 'keep',
  ownRowsOnly: true,
  async handle({ tx, event, payload: transition, onTie }) {
    await applyCardTransition(tx, event, transition, onTie);
    return done;
  },
});
