import type { Database } from '@mailroom/db';
import { closeUnseen, noteFindings, type Seen } from './note-findings.ts';
import type { Runner } from './runner.ts';
import type { ComparedPage, DriftKind, StateSource } from './state-source.ts';

export interface ComparisonContext {
  readonly database: Database;
  readonly runner: Runner;
  readonly since: Date;
  readonly signal?: AbortSignal;
}

export interface ComparisonResult {
  readonly provider: string;
  readonly endpoint: string;
  readonly account: string | null;
  readonly objects: string;
  readonly compared: number;
  readonly differing: number;
  /** Differing, with an event about them that is not worked off yet: no findings. */
  readonly onTheWay: number;
  readonly opened: readonly Seen[];
  readonly closed: number;
}

/**
 * Compares the objects of one list with our tables. What differs becomes a finding, what no longer does closes one. An object about
 * which an event waits in the inbox is left out: it is about to change.
 */
export async function compareState(source: StateSource, context: ComparisonContext): Promise<ComparisonResult> {
  const { database, runner, since, signal } = context;
  const { provider, endpoint, account, objects } = source;
  const total = { compared: 0, differing: 0, onTheWay: 0, closed: 0 };
  const opened: Seen[] = [];
  for await (const page of source.compare(database, since)) {
    if (signal?.aborted) break;
    const waiting = await waitingObjects(database, source, page);
    const seen = page.drifts
      .filter(({ objectKey }) => !waiting.has(objectKey))
      .map((drift): Seen => ({ ...drift, provider, endpoint, account }));
    total.compared += page.objectKeys.length;
    total.differing += seen.length;
    total.onTheWay += page.drifts.length - seen.length;
    await database.kysely.transaction().execute(async (tx) => {
      await runner.renewIn(tx);
      opened.push(...(await noteFindings(tx, seen)));
      const objectKeys = page.objectKeys.filter((key) => !waiting.has(key));
      total.closed += await closeUnseen(tx, source, { kinds: driftKinds, objectKeys }, seen);
    });
  }
  return { provider, endpoint, account, objects, ...total, opened };
}

const driftKinds: readonly DriftKind[] = ['missing', 'status_differs', 'amount_differs', 'paid_on_void'];

/** Index: webhook_inbox_due. */
async function waitingObjects(
  { pool }: Database,
  { provider, endpoint }: StateSource,
  { drifts }: ComparedPage,
): Promise<ReadonlySet<string>> {
  if (drifts.length === 0) return new Set();
  const { rows } = await pool.query<{ key: string }>(
    `select distinct object_key as key from webhook_inbox
     where provider = $1 and endpoint = $2 and state = 'pending' and object_key = any($3::text[])`,
    [provider, endpoint, drifts.map(({ objectKey }) => objectKey)],
  );
  return new Set(rows.map(({ key }) => key));
}
