import type { Tx } from '@mailroom/db';
import { formatEventKey } from '@mailroom/kernel';
import { type Standing, standingOf } from '@mailroom/reconcile';
import { attentionShares } from '../queries/attention.ts';
import { backlogShares, oldestDue } from '../queries/backlog.ts';
import { type ConnectedProcess, connectedProcesses } from '../queries/connections.ts';
import { databaseClock } from '../queries/database-clock.ts';
import { type Duplicates, duplicateTotals } from '../queries/duplicates.ts';
import { endpointsWithEvents } from '../queries/endpoints.ts';
import { finishedEvents } from '../queries/finished.ts';
import { type OpenAnomalies, openAnomalies } from '../queries/open-anomalies.ts';
import { type OutboxTotals, outboxTotals } from '../queries/outbox-totals.ts';
import { type ParkedType, parkedTypes } from '../queries/parked-types.ts';
import { type RecentFailures, recentFailures } from '../queries/recent-failures.ts';
import { type EndpointStatus, endpointStatuses } from './endpoint-status.ts';
import { greatest, sum } from './totals.ts';
import { type WorkerStatus, workerStatuses } from './worker-status.ts';

/** The answer of `mailroom status`, as `--json` writes it. */
export interface StatusReport {
  /** The database's clock. */
  readonly at: Date;
  readonly states: States;
  /** Processed and ignored together. `estimated` on a large ledger, where `states.processed` and `.ignored` are null. */
  readonly finished: { readonly events: number; readonly method: 'counted' | 'estimated' };
  readonly backlog: Backlog;
  readonly endpoints: readonly EndpointStatus[];
  readonly workers: readonly WorkerStatus[];
  readonly connections: readonly ConnectedProcess[];
  /** The ten most frequent types that no worker had a handler for. */
  readonly parkedTypes: readonly ParkedType[];
  readonly failures: RecentFailures;
  readonly duplicates: Duplicates;
  readonly outbox: OutboxTotals;
  readonly anomalies: readonly OpenAnomalies[];
  readonly reconciliation: Standing;
}

export interface States {
  readonly pending: number;
  readonly held: number;
  readonly exhausted: number;
  readonly rejected: number;
  readonly parked: number;
  readonly quarantined: number;
  readonly processed: number | null;
  readonly ignored: number | null;
}

/** The pending events: due + waiting + leased + leaseExpired. */
export interface Backlog {
  readonly pending: number;
  readonly due: number;
  readonly waiting: number;
  readonly leased: number;
  readonly leaseExpired: number;
  readonly retrying: number;
  /** How long the longest-waiting due event has been due. */
  readonly oldestDueSeconds: number | null;
  readonly oldestDueKey: string | null;
  /** How long ago the oldest unfinished pending event came in. */
  readonly oldestReceivedSeconds: number | null;
}

/** Reads everything over one snapshot. */
export async function readStatus(tx: Tx): Promise<StatusReport> {
  const at = await databaseClock(tx);
  const shares = await backlogShares(tx);
  const attention = await attentionShares(tx);
  const finished = await finishedEvents(tx);
  const failures = await recentFailures(tx);
  const head = await oldestDue(tx);

  const pending = sum(shares, (share) => share.pending);
  const inState = (state: string) => sum(attention, (share) => (share.state === state ? share.events : 0));
  const finishedIn = (state: string) =>
    finished.method === 'estimated'
      ? null
      : sum(finished.shares, (share) => (share.state === state ? share.events : 0));
  const unfinished = pending + sum(attention, (share) => share.events);

  return {
    at,
    states: {
      pending,
      held: inState('held'),
      exhausted: inState('exhausted'),
      rejected: inState('rejected'),
      parked: inState('parked'),
      quarantined: inState('quarantined'),
      processed: finishedIn('processed'),
      ignored: finishedIn('ignored'),
    },
    finished: {
      events:
        finished.method === 'estimated'
          ? Math.max(0, finished.ledgerRows - unfinished)
          : sum(finished.shares, (share) => share.events),
      method: finished.method,
    },
    backlog: {
      pending,
      due: sum(shares, (share) => share.due),
      waiting: sum(shares, (share) => share.waiting),
      leased: sum(shares, (share) => share.leased),
      leaseExpired: sum(shares, (share) => share.leaseExpired),
      retrying: sum(shares, (share) => share.retrying),
      oldestDueSeconds: head?.seconds ?? null,
      oldestDueKey: head === null ? null : formatEventKey(head),
      oldestReceivedSeconds: greatest(shares.map((share) => share.oldestReceivedSeconds)),
    },
    endpoints: endpointStatuses(await endpointsWithEvents(tx), shares, attention, finished),
    workers: workerStatuses(shares, failures),
    connections: await connectedProcesses(tx),
    parkedTypes: await parkedTypes(tx),
    failures,
    duplicates: await duplicateTotals(tx),
    outbox: await outboxTotals(tx),
    anomalies: await openAnomalies(tx),
    reconciliation: await standingOf(tx),
  };
}
