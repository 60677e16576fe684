import type { Secret } from './secret.ts';

interface SinkCommon {
  readonly name: string;
  /** `invoice.paid`, `invoice.*` or `*`; none stands in two sinks. */
  readonly topics: readonly string[];
}

/** One entry of the sinks file: where messages of the outbox go. */
export type SinkConfig = HttpSinkConfig | NatsSinkConfig | LogSinkConfig;

export interface HttpSinkConfig extends SinkCommon {
  readonly type: 'http';
  /** Not enumerable: its path may be a secret. */
  readonly url: string;
  /** Standard Webhooks secrets; a message is signed with each that is valid. */
  readonly secrets: readonly Secret[];
  readonly idPrefix: string;
  readonly connectTimeoutMs: number;
  readonly timeoutMs: number;
  readonly allowPrivateAddresses: boolean;
  /** Statuses that no further attempt can change. */
  readonly giveUpOn: readonly number[];
}

export interface NatsSinkConfig extends SinkCommon {
  readonly type: 'nats';
  readonly servers: readonly string[];
  readonly subjectPrefix: string;
  readonly idPrefix: string;
  readonly token: Secret | null;
  /** The text of a credentials file. */
  readonly credentials: Secret | null;
  readonly connectTimeoutMs: number;
  readonly timeoutMs: number;
}

export interface LogSinkConfig extends SinkCommon {
  readonly type: 'log';
}

/** Every secret of a sink. */
export function secretsOfSink(sink: SinkConfig): readonly Secret[] {
  switch (sink.type) {
    case 'http':
      return sink.secrets;
    case 'nats':
      return [sink.token, sink.credentials].filter((secret) => secret !== null);
    case 'log':
      return [];
  }
}
