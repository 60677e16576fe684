import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyUserTransition, userTransition } from './apply-transition.ts';

/** An account may not be used for now. */
export const usertransitionsSuspended = defineHandler({
  provider: 'marqeta',
  eventType: 'usertransitions.SUSPENDED',
  payload: userTransition,
  onTie: 'keep',
  ownRowsOnly: true,
  async handle({ tx, event, payload: transition, onTie }) {
    await applyUserTransition(tx, event, transition, onTie);
    return done;
  },
});
