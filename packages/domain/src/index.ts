export * from './define-handler.ts';
export * from './handler.ts';
export * from './handlers.ts';
export { objectLockKey } from './object-lock.ts';
