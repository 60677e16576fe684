import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Delivery, Lane } from '../traffic/storm-delivery.ts';
import { planStorm } from '../traffic/storm-plan.ts';

export interface SteadyLoadOptions {
  /** All ids begin with it. */
  readonly run: string;
  readonly random: SeededRandom;
  /** New deliveries a second, at most; redeliveries come on top. */
  readonly rate: number;
  readonly untilMs: number;
  readonly deliver: (delivery: Delivery) => Promise<void>;
}

/** Enough that a lane which waits out a restart holds up no other. */
const lanesAtOnce = 48;

/** Storms without end, their lanes shuffled, at a bounded rate, until the time is over. Lanes that were begun are finished. */
export async function steadyLoad({ run, random, rate, untilMs, deliver }: SteadyLoadOptions): Promise<void> {
  const lanes = endlessLanes(run, random);
  const allowed = createPace(rate);
  const runner = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const { value: lane } = lanes.next();
      for (const step of lane) {
        await allowed(step.length);
        await Promise.all(step.map(deliver));
      }
    }
  };
  await Promise.all(Array.from({ length: lanesAtOnce }, runner));
}

function* endlessLanes(run: string, random: SeededRandom): Generator<Lane, never> {
  for (let round = 1; ; round += 1) {
    yield* random.shuffled(planStorm(`${run}_${round}`, Date.now()).flatMap(({ lanes }) => lanes));
  }
}

/** Lets `count` deliveries go at a time, `rate` a second; what an outage held up is not made good by a burst. */
function createPace(rate: number): (count: number) => Promise<void> {
  let freeAtMs = performance.now();
  return async (count) => {
    const nowMs = performance.now();
    const startMs = Math.max(freeAtMs, nowMs);
    freeAtMs = startMs + (count * 1000) / rate;
    await pause(startMs - nowMs);
  };
}
