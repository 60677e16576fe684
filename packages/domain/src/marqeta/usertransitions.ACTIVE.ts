import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyUserTransition, userTransition } from './apply-transition.ts';

/** An account may be used. */
export const usertransitionsActive = defineHandler({
  provider: 'marqeta',
  eventType: 'usertransitions.ACTIVE',
  payload: userTransition,
  onTie: 'keep',
  ownRowsOnly: true,
  async handle({ tx, event, payload: transition, onTie }) {
    await applyUserTransition(tx, event, transition, onTie);
    return done;
  },
});
