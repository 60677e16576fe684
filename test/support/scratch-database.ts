export { type ScratchDatabase, scratchDatabase } from '@mailroom/handler-kit/support';
