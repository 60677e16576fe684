export { type ClaimedEvent, type ClaimOptions, claim } from './claim.ts';
export type { Delivery, IncomingEvent, Receipt } from './delivery.ts';
export {
  type EventHandler,
  type FindHandler,
  type HandlerContext,
  handlerLookup,
  type Work,
  workOf,
} from './event-handler.ts';
export { giveBack, park, rearm, renew } from './lease.ts';
export { checkLeasePolicy, type ProcessingLimits } from './lease-policy.ts';
export { type ProcessOptions, type ProcessResult, processEvent } from './process.ts';
export { createReceiver, type Receiver, type ReceiverOptions } from './receive.ts';
export { type EventResult, type ReceiveAndProcessOptions, receiveAndProcess } from './receive-and-process.ts';
export { type RetryOutcome, type RetryRequest, retryEvents } from './requeue.ts';
export type { AttemptContext, Failure, RetryPolicy, Settlement } from './settlement.ts';
export type { LockedEvent } from './sql/lock.ts';
export { type InboxState, type InboxStats, inboxStates, inboxStats } from './stats.ts';
