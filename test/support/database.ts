export { createEmptyDatabase, createTestDatabase, type TestDatabase } from '@mailroom/handler-kit';
