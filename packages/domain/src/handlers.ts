import type { Handler } from './handler.ts';
import * as registry from './registry.ts';

const registered: readonly Handler[] = Object.values(registry);

/** Every handler that is written. The worker looks them up by provider and event type; an event without one is parked. */
export const handlers: readonly Handler[] = registered.filter(({ parked }) => parked === undefined);

/** Those that are begun and not written. Their events are parked. */
export const parkedHandlers: readonly Handler[] = registered.filter(({ parked }) => parked !== undefined);
