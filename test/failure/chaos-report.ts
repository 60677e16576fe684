import type { Injection } from './adversary.ts';
import type { MessageCounts } from './checker/check-messages.ts';
import type { Difference } from './checker/difference.ts';

/** What a run was and how it ended. */
export interface ChaosReport {
  readonly seed: number;
  readonly minutes: number;
  /** How long posts were made. */
  readonly seconds: number;
  readonly posted: number;
  readonly acknowledged: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly events: number;
  /** Events by the state in which they ended. */
  readonly states: Readonly<Record<string, number>>;
  readonly failures: Readonly<Record<string, number>>;
  /** Of the outbox, as their receiver counts them. */
  readonly messages: MessageCounts;
  /** How often a process was started. */
  readonly starts: number;
  /** The kinds that were to be injected. */
  readonly faults: readonly string[];
  readonly injections: readonly Injection[];
  readonly lost: readonly LateEvent[];
  readonly doubled: readonly LateEvent[];
  readonly differences: readonly Difference[];
  /** Of the first few that differ: all that the database knows. */
  readonly histories: Readonly<Record<string, readonly string[]>>;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
  /** Where the logs of the processes are; null where they were not kept. */
  readonly logs: string | null;
}

/** A lost or doubled event, and when it was under way. */
export interface LateEvent {
  readonly key: string;
  readonly fromMs: number;
  readonly toMs: number;
}
