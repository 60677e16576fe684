// What works outside of vitest too: in a globalSetup, in programs.
export * from './admin-query.ts';
export * from './compile-cache.ts';
export * from './cuttable-proxy.ts';
export * from './scratch-database.ts';
export * from './test-server.ts';
export * from './wait-for.ts';
