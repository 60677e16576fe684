export * from './delivery.ts';
export { describeHandler, type HandlerProofOptions, type ProvenHandler } from './describe-handler.ts';
export { permutations } from './orders.ts';
export * from './start-process.ts';
export * from './support.ts';
export * from './test-database.ts';
