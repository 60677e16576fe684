import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyUserTransition, userTransition } from './apply-transition.ts';

/** An account holder exists whose identity is not verified yet. */
export const usertransitionsUnverified = defineHandler({
  provider: 'marqeta',
  eventType: 'usertransitions.UNVERIFIED',
  payload: userTransition,
  onTie: 'keep',
  ownRowsOnly: true,
  async handle({ tx, event, payload: transition, onTie }) {
    await applyUserTransition(tx, event, transition, onTie);
    return done;
  },
});
