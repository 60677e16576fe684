import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

export interface RejectionFilter {
  readonly provider: string | null;
  readonly endpoint: string | null;
  readonly reason: string | null;
  readonly diagnosis: string | null;
  readonly newerThanSeconds: number | null;
}

export interface RejectionSummary {
  readonly id: string;
  readonly rejectedAt: Date;
  readonly provider: string;
  readonly endpoint: string;
  readonly reason: string;
  readonly diagnosis: string;
  readonly explanation: string;
  readonly secretLabel: string | null;
  readonly skewMs: number | null;
  readonly bodyBytes: number;
  readonly bodySha256: string;
}

export interface Rejection extends RejectionSummary {
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
  readonly headerNames: readonly string[];
  readonly body: Buffer | null;
}

/** The newest first. The table is bounded (a few thousand rows), so it is read as it is. */
export async function listRejections(
  tx: Tx,
  filter: RejectionFilter,
  limit: number,
): Promise<readonly RejectionSummary[]> {
  let query = summaries(tx);
  if (filter.provider !== null) query = query.where('provider', '=', filter.provider);
  if (filter.endpoint !== null) query = query.where('endpoint', '=', filter.endpoint);
  if (filter.reason !== null) query = query.where('reason', '=', filter.reason);
  if (filter.diagnosis !== null) query = query.where('diagnosis', '=', filter.diagnosis);
  if (filter.newerThanSeconds !== null) {
    query = query.where('rejected_at', '>=', sql<Date>`now() - ${filter.newerThanSeconds} * interval '1 second'`);
  }
  return await query.orderBy('rejection_id', 'desc').limit(limit).execute();
}

export async function findRejection(tx: Tx, id: string): Promise<Rejection | null> {
  const row = await summaries(tx)
    .select([
      'content_type as contentType',
      'content_encoding as contentEncoding',
      'header_names as headerNames',
      'body',
    ])
    .where('rejection_id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

function summaries(tx: Tx) {
  return tx
    .selectFrom('inbox_rejections')
    .select([
      'rejection_id as id',
      'rejected_at as rejectedAt',
      'provider',
      'endpoint',
      'reason',
      'diagnosis',
      'explanation',
      'secret_label as secretLabel',
      sql<number | null>`skew_ms::float8`.as('skewMs'),
      sql<number>`body_bytes::float8`.as('bodyBytes'),
      'body_sha256 as bodySha256',
    ]);
}
