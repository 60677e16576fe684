import type { InboxState } from '@mailroom/kernel';
import type { EventFilter } from './event-filter.ts';

/** Whether every state asked for has a partial index (webhook_inbox_due, webhook_inbox_attention) to find its rows by. */
export function hasIndexedState(filter: EventFilter): boolean {
  return filter.states.length > 0 && filter.states.every((state) => !unindexed.has(state));
}

const unindexed: ReadonlySet<InboxState> = new Set(['processed', 'ignored']);
