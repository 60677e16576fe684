import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyUserTransition, userTransition } from './apply-transition.ts';

/** An account may do a little, until its holder is verified. */
export const usertransitionsLimited = defineHandler({
  provider: 'marqeta',
  eventType: 'usertransitions.LIMITED',
  payload: userTransition,
  onTie: 'keep',
  ownRowsOnly: true,
  async handle({ tx, event, payload: transition, onTie }) {
    await applyUserTransition(tx, event, transition, onTie);
    return done;
  },
});
