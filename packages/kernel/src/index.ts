export * from './backoff.ts';
export * from './coded-error.ts';
export * from './event-key.ts';
export * from './json.ts';
export * from './logger.ts';
export * from './outcome.ts';
export * from './poll-interval.ts';
export * from './uuid.ts';
