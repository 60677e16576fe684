export * from './database.ts';
export type { DB } from './generated.ts';
export * from './listen.ts';
export * from './migrate.ts';
export * from './migration-state.ts';
export * from './partition-ledger.ts';
export { planAnew, queryPrepared } from './prepared-statements.ts';
export * from './sqlstate.ts';
export * from './transaction.ts';
