import { setTimeout as pause } from 'node:timers/promises';
import { type Fault, pick } from '../fault.ts';

const dayMs = 86_400_000;

export const moveClock: Fault = {
  name: 'clock of a worker moved',
  does: 'the wall clock of a worker jumps by up to 30 days, back or ahead, for 3 s, and back again',
  lane: 'database',
  async inject({ fleet, random, workers }) {
    const target = await fleet.started(pick(random, workers));
    const shiftMs = Math.round((random.fraction() - 0.5) * 60 * dayMs);
    if (!target) return false;
    fleet.tell(target, { shiftMs });
    await pause(3_000);
    fleet.tell(target, { shiftMs: 0 });
    return true;
  },
};
