import { createReceiver, type Receiver } from '@mailroom/inbox';
import { CodedError, silentLogger } from '@mailroom/kernel';
import {
  type EventSource,
  eventSourcesOf,
  type ProviderAccess,
  type SweepProgress,
  type SweepResult,
  sweepEvents,
  trimCoverage,
} from '@mailroom/reconcile';
import { placeOf, type Reconciliation } from './reconciliation.ts';

export interface EventsRequest {
  readonly since: Date | null;
  readonly until: Date | null;
  readonly dryRun: boolean;
  readonly actor: string;
  readonly reason: string;
  readonly onProgress: (progress: SweepProgress) => void;
}

export interface EventsReport {
  readonly dryRun: boolean;
  readonly sweeps: readonly SweepResult[];
  /** Endpoints whose provider cannot be asked, and why. */
  readonly notAsked: readonly Problem[];
  /** Lists whose sweep went wrong. The next run goes on where it stopped. */
  readonly failed: readonly Problem[];
}

export interface Problem {
  readonly place: string;
  readonly reason: string;
}

/** Sweeps every list of every endpoint, one after another; one that fails does not keep the others from it. */
export async function reconcileEvents(run: Reconciliation, request: EventsRequest): Promise<EventsReport> {
  const { database, config, runner, signal } = run;
  const now = new Date();
  const bounds = { since: request.since, until: request.until, now, ledgerRetentionDays: config.retention.ledgerDays };
  const inbox = createReceiver(database, receiverOptions(config.maxAttempts));
  const injected = new Map<string, number>();
  const sweeps: SweepResult[] = [];
  const notAsked: Problem[] = [];
  const failed: Problem[] = [];
  try {
    for (const access of run.endpoints) {
      if (access.kind === 'none') notAsked.push({ place: placeOf(access.endpoint), reason: access.reason });
      else for (const source of await sourcesOf(access)) await sweep(source);
    }
  } finally {
    await inbox.close();
    await record();
  }
  if (!request.dryRun) await trimCoverage(database, config.retention.ledgerDays);
  return { dryRun: request.dryRun, sweeps, notAsked, failed };

  async function sourcesOf(access: ProviderAccess): Promise<readonly EventSource[]> {
    return (await attempted(placeOf(access.endpoint), () => eventSourcesOf(access, config.publicUrl))) ?? [];
  }

  async function sweep(source: EventSource): Promise<void> {
    if (signal.aborted) return;
    const place = placeOf(source) + (source.account === null ? '' : ` ${source.account}`);
    const receiver = request.dryRun ? null : counting(place);
    const { onProgress } = request;
    const result = await attempted(place, () =>
      sweepEvents(source, { ...bounds, database, receiver, runner, signal, onProgress }),
    );
    if (result !== null) sweeps.push(result);
  }

  async function attempted<T>(place: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      // Told to stop while it waited for its turn.
      if (signal.aborted) return null;
      if (!(error instanceof CodedError) || !providersFault.has(error.code)) throw error;
      failed.push({ place, reason: error.message });
      return null;
    }
  }

  /** Counted as they are stored, so that also what a broken run let in is on record. */
  function counting(place: string): Receiver {
    return {
      close: () => Promise.resolve(),
      receive: async (delivery) => {
        const receipt = await inbox.receive(delivery);
        if (receipt.stored > 0) injected.set(place, (injected.get(place) ?? 0) + receipt.stored);
        return receipt;
      },
    };
  }

  async function record(): Promise<void> {
    const affected = [...injected.values()].reduce((sum, count) => sum + count, 0);
    if (affected === 0) return;
    const { actor, reason } = request;
    const selection = JSON.stringify({ injected: Object.fromEntries(injected) });
    await database.kysely
      .insertInto('operator_actions')
      .values({ actor, action: 'reconcile_events', reason, selection, affected })
      .execute();
  }
}

const providersFault = new Set(['provider_refused', 'provider_unreachable']);

/** One connection, and nobody who waits for an answer: groups may be large. */
export function receiverOptions(maxAttempts: number) {
  return {
    maxAttempts,
    lockTimeoutMs: 5_000,
    writesInFlight: 1,
    maxRowsPerWrite: 200,
    maxBytesPerWrite: 4_194_304,
    maxWaitingRows: 10_000,
    maxWaitingBytes: 268_435_456,
    log: silentLogger,
  };
}
