import type { SinkConfig } from './sink-config.ts';
import type { SourcedSink } from './sink-entry.ts';

/** One sink as it holds, fit to be shown. */
export interface DescribedSink {
  readonly name: string;
  readonly type: SinkConfig['type'];
  readonly topics: readonly string[];
  /** Where it sends: servers, or the origin of a URL, whose path may be a secret. */
  readonly target: string;
  readonly secretsFrom: readonly string[];
  readonly file: string;
}

export function describeSink({ sink, secretsFrom, file }: SourcedSink): DescribedSink {
  return { name: sink.name, type: sink.type, topics: sink.topics, target: targetOf(sink), secretsFrom, file };
}

function targetOf(sink: SinkConfig): string {
  switch (sink.type) {
    case 'http':
      return new URL(sink.url).origin;
    case 'nats':
      return sink.servers.join(', ');
    case 'log':
      return 'the log of the worker';
  }
}
