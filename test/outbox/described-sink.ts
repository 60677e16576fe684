import { appendFileSync } from 'node:fs';
import { type Logger, silentLogger } from '@mailroom/kernel';
import type { Sink } from '@mailroom/outbox';
import { createHttpSink, createLogSink, createNatsSink } from '@mailroom/sinks';

/** What another process needs to make the same sink. */
export type SinkDescription =
  | { readonly kind: 'http'; readonly url: string; readonly key: string }
  | { readonly kind: 'nats'; readonly url: string }
  | { readonly kind: 'log'; readonly file: string };

export function makeSink(description: SinkDescription): Sink {
  switch (description.kind) {
    case 'http':
      return createHttpSink({
        name: 'http',
        url: new URL(description.url),
        keys: () => [Buffer.from(description.key, 'base64')],
        idPrefix: '',
        connectTimeoutMs: 5_000,
        timeoutMs: 10_000,
        allowPrivateAddresses: true,
        giveUpOn: [410],
      });
    case 'nats':
      return createNatsSink({
        name: 'nats',
        servers: [description.url],
        subjectPrefix: 'mailroom.',
        idPrefix: '',
        token: null,
        credentials: null,
        connectTimeoutMs: 5_000,
        timeoutMs: 5_000,
      });
    case 'log':
      return createLogSink({ name: 'log', log: fileLogger(description.file) });
  }
}

function fileLogger(file: string): Logger {
  return {
    ...silentLogger,
    info: (event, fields) => appendFileSync(file, `${JSON.stringify({ event, ...fields })}\n`),
  };
}
