export * from './find-local-database.ts';
export * from './start-local-database.ts';
