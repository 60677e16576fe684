import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';
import { tableSize } from './table-size.ts';

export type Finished =
  | { readonly method: 'counted'; readonly shares: readonly FinishedShare[] }
  | { readonly method: 'estimated'; readonly ledgerRows: number };

export interface FinishedShare {
  readonly provider: string;
  readonly endpoint: string;
  readonly state: 'processed' | 'ignored';
  readonly events: number;
}

/**
 * Finished events have an index by age, which counts none by endpoint or state for less than all of them. So they are counted while the ledger is
 * small; beyond that the statistics say how many rows the ledger has, and the caller takes the unfinished ones away.
 */
export async function finishedEvents(tx: Tx): Promise<Finished> {
  const { small, estimatedRows } = await tableSize(tx, 'webhook_inbox');
  if (!small) return { method: 'estimated', ledgerRows: estimatedRows };
  const { rows } = await sql<FinishedShare>`
    select provider, endpoint, state, count(*)::float8 as events
    from webhook_inbox where state in ('processed', 'ignored')
    group by provider, endpoint, state`.execute(tx);
  return { method: 'counted', shares: rows };
}
