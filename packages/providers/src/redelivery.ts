import { findProvider } from './registry.ts';

/**
 * For how long a provider may send an event again, by itself or when somebody asks, milliseconds. null: not known, or no provider of
 * that name is registered.
 */
export function redeliveryMsOf(provider: string): number | null {
  const facts = findProvider(provider)?.facts;
  if (!facts || (facts.retryWindowMs === null && facts.replayWindowMs === null)) return null;
  return Math.max(facts.retryWindowMs ?? 0, facts.replayWindowMs ?? 0);
}
