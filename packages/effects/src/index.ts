export { openStripe, type StripeApi } from './stripe-api.ts';
export { type StripeCallSinkOptions, stripeCallSink, stripeOperations } from './stripe-call-sink.ts';
export { type StripeRefetchSinkOptions, stripeRefetchSink } from './stripe-refetch-sink.ts';
