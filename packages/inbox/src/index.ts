export { callsOf, type HandledClaim } from './batch-calls.ts';
export { breakerActor, claimCanary } from './breaker.ts';
export { type ClaimedEvent, type Claimer, type ClaimerOptions, createClaimer } from './claim.ts';
export type { Delivery, IncomingEvent, Receipt } from './delivery.ts';
export {
  contextOf,
  type EventHandler,
  type FindHandler,
  type HandlerContext,
  handleEvent,
  handlerLookup,
  type Work,
} from './event-handler.ts';
export { type Chore, choreAge } from './housekeeping.ts';
export { giveBack, park, rearm, renew } from './lease.ts';
export { checkLeasePolicy, type ProcessingLimits } from './lease-policy.ts';
export { passFinishedTurns, passTurns, skipStuck, takeTurn } from './object-turn.ts';
export {
  endPause,
  heldByPause,
  holdForPause,
  openPause,
  openPauses,
  type Pause,
  type PauseRequest,
  type PauseScope,
  pauseOf,
  releaseEnded,
} from './pause.ts';
export { type ProcessOptions, processEvent } from './process.ts';
export {
  type BatchOptions,
  type BatchResult,
  type HandlerCall,
  type HandlerEnd,
  processBatch,
} from './process-batch.ts';
export { type Pruned, type PruneOptions, prune, pruneAlone } from './prune.ts';
export { createReceiver, type Receiver, type ReceiverOptions } from './receive.ts';
export { type EventResult, type ReceiveAndProcessOptions, receiveAndProcess } from './receive-and-process.ts';
export type { ProcessResult } from './record-end.ts';
export { type RejectionRecord, recordRejection, rejectionBounds, trimRejections } from './rejections.ts';
export {
  type ReparseOutcome,
  type ReparseRequest,
  type Rereading,
  reparseEvent,
  type StoredDelivery,
} from './reparse.ts';
export { type RetryOutcome, type RetryRequest, retryEvents } from './requeue.ts';
export { type Retention, type RetentionRule, retentionRules } from './retention-rules.ts';
export { createSecretUseRecorder, type SecretName, type SecretUseRecorder } from './secret-uses.ts';
export type { AttemptContext, Failure, RetryPolicy, Settlement } from './settlement.ts';
export type { LockedEvent } from './sql/lock.ts';
export { type InboxStats, inboxStats } from './stats.ts';
export { listenForHints } from './wake-up.ts';
