export * from './append.ts';
export type { OutgoingMessage, RecordRows, SendResult, Sink, SinkRoute } from './sink.ts';
