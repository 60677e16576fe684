import { type Answer, post } from './post.ts';
import { signDelivery } from './sign-delivery.ts';
import type { Delivery, Lane, Scenario } from './storm-delivery.ts';
import type { Target } from './target.ts';

/** A delivery and the answer it got. */
export interface Answered {
  readonly scenario: string;
  readonly delivery: Delivery;
  readonly answer: Answer;
}

/** Lanes under way at once. A lane may post eight deliveries at the same instant, so connections can be eight times as many. */
const lanesAtOnce = 48;

/** Posts everything, the lanes mixed, and never throws because of an answer. */
export async function sendStorm(scenarios: readonly Scenario[], target: Target): Promise<readonly Answered[]> {
  const answered: Answered[] = [];
  const waiting = mixedLanes(scenarios)[Symbol.iterator]();
  const runner = async (): Promise<void> => {
    for (const { name, lane } of waiting) {
      for (const step of lane) {
        answered.push(...(await Promise.all(step.map((delivery) => deliver(name, delivery, target)))));
      }
    }
  };
  await Promise.all(Array.from({ length: lanesAtOnce }, runner));
  return answered;
}

async function deliver(scenario: string, delivery: Delivery, target: Target): Promise<Answered> {
  const { body, headers } = signDelivery(delivery, target.secret, Date.now());
  return { scenario, delivery, answer: await post(target.url, body, headers) };
}

/** One lane of each scenario in turn, so that all kinds are in flight together. */
function mixedLanes(scenarios: readonly Scenario[]): readonly { readonly name: string; readonly lane: Lane }[] {
  const longest = Math.max(...scenarios.map((scenario) => scenario.lanes.length));
  return Array.from({ length: longest }, (_, round) =>
    scenarios.flatMap(({ name, lanes }) => {
      const lane = lanes[round];
      return lane ? [{ name, lane }] : [];
    }),
  ).flat();
}
