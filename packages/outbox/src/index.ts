export * from './append.ts';
export { createOutboxClaimer, type OutboxClaim, type OutboxClaimer, type OutboxClaimerOptions } from './claim.ts';
export type { OutboxRetryPolicy } from './ending.ts';
export {
  type OutboxAction,
  type OutboxActionOutcome,
  type OutboxActionResult,
  retryMessages,
  skipMessages,
} from './operate.ts';
export { type Relay, type RelayOptions, startRelay } from './relay.ts';
export { type FindSink, sinkLookup } from './routes.ts';
export type { RelayObserver, SendOutcome } from './send-line.ts';
export type { OutgoingMessage, RecordRows, SendResult, Sink, SinkRoute } from './sink.ts';
export { type OutboxStats, outboxStats, unsentStates } from './stats.ts';
export { writeJson } from './write-json.ts';
