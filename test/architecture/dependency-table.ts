/** What a workspace may import of the others. */
export interface Allowance {
  readonly mailroom: readonly string[];
  /** Where only some names of a package may be taken. */
  readonly only?: Readonly<Record<string, readonly string[]>>;
}

const findOnly = { localdb: ['findLocalDatabase'] };
const packages = [
  'config',
  'db',
  'domain',
  'effects',
  'inbox',
  'kernel',
  'localdb',
  'observability',
  'outbox',
  'providers',
  'reconcile',
  'service',
  'sinks',
];

/** The direction of dependencies. Apps are nobody's dependency; the ingestor sees no domain and no outbox. */
export const dependencyTable: Readonly<Record<string, Allowance>> = {
  'packages/kernel': { mailroom: [] },
  'packages/config': { mailroom: ['kernel'] },
  'packages/db': { mailroom: ['kernel'] },
  'packages/localdb': { mailroom: ['kernel'] },
  'packages/observability': { mailroom: ['kernel'] },
  'packages/providers': { mailroom: ['kernel'] },
  'packages/inbox': { mailroom: ['db', 'kernel'] },
  'packages/outbox': { mailroom: ['db', 'kernel'] },
  // Calls of a provider's API that leave by the outbox; an answer may come in through the inbox.
  'packages/effects': { mailroom: ['db', 'inbox', 'kernel', 'outbox'] },
  'packages/reconcile': { mailroom: ['db', 'inbox', 'providers', 'kernel'] },
  // What leaves the process: no database, the relay has it.
  'packages/sinks': { mailroom: ['kernel', 'outbox'] },
  // What long-running processes do alike: find their database, stop on signals.
  'packages/service': { mailroom: ['kernel', 'localdb'], only: findOnly },
  'packages/domain': { mailroom: ['db', 'outbox', 'kernel'] },
  // Starts the ingestor as a process; takes any handler, so it needs no domain.
  'packages/handler-kit': { mailroom: ['db', 'inbox', 'kernel', 'localdb', 'providers'] },
  'apps/ingest': {
    mailroom: ['config', 'observability', 'db', 'inbox', 'providers', 'kernel', 'service'],
  },
  'apps/worker': {
    mailroom: [
      'config',
      'observability',
      'db',
      'effects',
      'inbox',
      'outbox',
      'sinks',
      'domain',
      'providers',
      'kernel',
      'reconcile',
      'service',
    ],
  },
  'apps/ops': { mailroom: packages },
  'apps/scaffold': { mailroom: ['kernel', 'providers'] },
  'apps/local': { mailroom: ['config', 'db', 'inbox', 'kernel', 'localdb', 'observability', 'providers'] },
};
