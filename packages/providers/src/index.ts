export type * from './provider.ts';
export * from './registry.ts';
