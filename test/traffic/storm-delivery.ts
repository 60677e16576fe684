import type { StripeEvent } from './stripe-events.ts';

/** How a delivery is signed: as the provider would, or wrongly in one particular way. */
export type Signing = 'right' | 'wrong-secret' | 'no-header' | 'malformed' | 'stale' | 'future' | 'over-other-bytes';

/** One POST of the storm, and the answer it must get. */
export interface Delivery {
  readonly event: StripeEvent;
  readonly signing: Signing;
  readonly answer: 200 | 401;
}

/** Deliveries of one step leave at the same instant; a step begins when the one before it is answered. */
export type Lane = readonly (readonly Delivery[])[];

/** Lanes of one kind; they run beside each other. */
export interface Scenario {
  readonly name: string;
  readonly lanes: readonly Lane[];
}

export function good(event: StripeEvent): Delivery {
  return { event, signing: 'right', answer: 200 };
}

export function refused(event: StripeEvent, signing: Exclude<Signing, 'right'>): Delivery {
  return { event, signing, answer: 401 };
}

/** Every delivery of the scenarios. */
export function deliveriesOf(scenarios: readonly Scenario[]): readonly Delivery[] {
  return scenarios.flatMap((scenario) => scenario.lanes.flat(2));
}
