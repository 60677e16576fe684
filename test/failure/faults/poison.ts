import type { Fault } from '../fault.ts';

export const poison: Fault = {
  name: 'poison events',
  does: 'events whose handler always throws, whose payload does not fit, whose type nobody handles, and halves of bodies; five of each',
  lane: 'database',
  inject({ stories, send }) {
    send(Array.from({ length: 5 }, () => stories.poison()).flat());
    return Promise.resolve(true);
  },
};
