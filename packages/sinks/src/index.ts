export { createHttpSink, type HttpSinkOptions } from './http/http-sink.ts';
export { createLogSink } from './log-sink.ts';
export { createNatsSink, type NatsSinkOptions } from './nats/nats-sink.ts';
