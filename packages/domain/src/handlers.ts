import type { Handler } from './handler.ts';
import * as registry from './registry.ts';

/** Every handler there is. The worker looks them up by provider and event type; an event without one is parked. */
export const handlers: readonly Handler[] = Object.values(registry);
