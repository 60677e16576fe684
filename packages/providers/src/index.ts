export * from './accept-delivery.ts';
export * from './diagnose.ts';
export type * from './provider.ts';
export * from './redelivery.ts';
export * from './registry.ts';
export * from './request-headers.ts';
