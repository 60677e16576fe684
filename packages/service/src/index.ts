export * from './database-url.ts';
export * from './shutdown.ts';
