export * from './database-url.ts';
export * from './event-loop-watchdog.ts';
export * from './shutdown.ts';
