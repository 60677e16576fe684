export * from './define-handler.ts';
export type { EventTypeOf, PayloadOf, StripePayload } from './event-payload.ts';
export * from './handler.ts';
export * from './handlers.ts';
export { objectLockKey } from './object-lock.ts';
export { callStripe, type StripeCall } from './stripe/call-stripe.ts';
