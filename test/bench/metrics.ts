export interface Metric {
  readonly title: string;
  readonly better: 'higher' | 'lower';
  readonly digits: number;
}

/** Everything that is measured, and how it is shown. */
export const metrics = {
  rate: { title: 'a second', better: 'higher', digits: 0 },
  p50: { title: 'p50 ms', better: 'lower', digits: 2 },
  p99: { title: 'p99 ms', better: 'lower', digits: 2 },
  p999: { title: 'p99.9 ms', better: 'lower', digits: 2 },
  nodeCpu: { title: 'Node CPU µs/event', better: 'lower', digits: 0 },
  postgresCpu: { title: 'PostgreSQL CPU µs/event', better: 'lower', digits: 0 },
  statements: { title: 'statements/event', better: 'lower', digits: 2 },
  wal: { title: 'WAL bytes/event', better: 'lower', digits: 0 },
  memory: { title: 'peak MB resident', better: 'lower', digits: 0 },
  claim: { title: 'claim of 50, ms', better: 'lower', digits: 2 },
  complete: { title: 'process 50 empty, ms', better: 'lower', digits: 2 },
  bytes: { title: 'bytes on disk/event', better: 'lower', digits: 0 },
  gigabytesBefore: { title: 'GB before', better: 'lower', digits: 2 },
  gigabytesAfter: { title: 'GB after vacuum', better: 'lower', digits: 2 },
  deadlocks: { title: 'deadlocks', better: 'lower', digits: 0 },
  inVain: { title: 'attempts in vain', better: 'lower', digits: 0 },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;
