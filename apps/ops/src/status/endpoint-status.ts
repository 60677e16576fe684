import type { AttentionShare } from '../queries/attention.ts';
import type { BacklogShare } from '../queries/backlog.ts';
import type { EndpointName } from '../queries/endpoints.ts';
import type { Finished } from '../queries/finished.ts';
import { greatest, sum } from './totals.ts';

export interface EndpointStatus extends EndpointName {
  readonly pending: number;
  readonly due: number;
  readonly leased: number;
  readonly held: number;
  readonly exhausted: number;
  readonly rejected: number;
  readonly parked: number;
  readonly quarantined: number;
  /** Processed and ignored; null on a large ledger, where it is only estimated for all endpoints together. */
  readonly finished: number | null;
  readonly oldestDueSeconds: number | null;
}

export function endpointStatuses(
  endpoints: readonly EndpointName[],
  backlog: readonly BacklogShare[],
  attention: readonly AttentionShare[],
  finished: Finished,
): readonly EndpointStatus[] {
  return endpoints.map(({ provider, endpoint }) => {
    const ours = <T extends EndpointName>(shares: readonly T[]) =>
      shares.filter((share) => share.provider === provider && share.endpoint === endpoint);
    const pendingShares = ours(backlog);
    const inState = (state: AttentionShare['state']) =>
      ours(attention).find((share) => share.state === state)?.events ?? 0;
    return {
      provider,
      endpoint,
      pending: sum(pendingShares, (share) => share.pending),
      due: sum(pendingShares, (share) => share.due),
      leased: sum(pendingShares, (share) => share.leased),
      held: inState('held'),
      exhausted: inState('exhausted'),
      rejected: inState('rejected'),
      parked: inState('parked'),
      quarantined: inState('quarantined'),
      finished: finished.method === 'estimated' ? null : sum(ours(finished.shares), (share) => share.events),
      oldestDueSeconds: greatest(pendingShares.map((share) => share.oldestDueSeconds)),
    };
  });
}
