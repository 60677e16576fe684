import { type Config, type HttpSinkConfig, type SinkConfig, validityOf } from '@mailroom/config';
import type { Logger } from '@mailroom/kernel';
import type { Sink, SinkRoute } from '@mailroom/outbox';
import { createHttpSink, createLogSink, createNatsSink } from '@mailroom/sinks';

/** The sinks of the configuration with their topics; with `OUTBOX_UNROUTED=log` the log takes what is left. */
export function routesFromConfig({ sinks, outbox }: Config, log: Logger): readonly SinkRoute[] {
  const routes = sinks.map((sink) => ({ topics: sink.topics, sink: createSink(sink, log) }));
  const everything = sinks.some(({ topics }) => topics.includes('*'));
  if (outbox.unrouted === 'keep' || everything) return routes;
  return [...routes, { topics: ['*'], sink: createLogSink({ name: 'log', log }) }];
}

function createSink(sink: SinkConfig, log: Logger): Sink {
  switch (sink.type) {
    case 'http':
      // Not enumerable, so a spread alone would lack the URL.
      return createHttpSink({ ...sink, url: new URL(sink.url), keys: signingKeys(sink) });
    case 'nats': {
      const { token, credentials } = sink;
      return createNatsSink({ ...sink, token: token?.value ?? null, credentials: credentials?.value ?? null });
    }
    case 'log':
      return createLogSink({ name: sink.name, log });
  }
}

function signingKeys({ secrets }: HttpSinkConfig): (nowMs: number) => readonly Uint8Array[] {
  const keys = secrets.map((secret) => ({
    secret,
    key: Buffer.from(secret.value.slice('whsec_'.length), 'base64'),
  }));
  return (nowMs) => keys.filter(({ secret }) => validityOf(secret, nowMs) === 'valid').map(({ key }) => key);
}
