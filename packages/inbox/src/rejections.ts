import type { Database } from '@mailroom/db';

/** What is kept of a delivery that was not verified. Texts that come from the request are cut to the bounds of the table. */
export interface RejectionRecord {
  readonly provider: string;
  readonly endpoint: string;
  readonly reason: string;
  readonly diagnosis: string;
  readonly explanation: string;
  readonly secretLabel: string | null;
  readonly skewMs: number | null;
  /** Lower-case hex. */
  readonly bodySha256: string;
  readonly bodyBytes: number;
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
  readonly headerNames: readonly string[];
  /** Null: not kept. Cut to 64 KiB. */
  readonly body: Buffer | null;
}

/** How much of it is kept; the oldest goes first. */
export interface RejectionBounds {
  readonly maxRows: number;
  /** Of the rows that hold a body. */
  readonly maxBodies: number;
  readonly maxAgeMs: number;
}

/** 5,000 rows of a few kilobytes and 500 bodies of 64 KiB: at most some 50 MB. */
export const rejectionBounds: RejectionBounds = { maxRows: 5_000, maxBodies: 500, maxAgeMs: 7 * 86_400_000 };

/** Writes one record, in a transaction of its own. Rejects with the database's error. */
export async function recordRejection(database: Database, record: RejectionRecord): Promise<void> {
  await database.pool.query(
    `insert into inbox_rejections (
       provider, endpoint, reason, diagnosis, explanation, secret_label, skew_ms,
       body_sha256, body_bytes, content_type, content_encoding, header_names, body
     ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      record.provider,
      record.endpoint,
      record.reason,
      record.diagnosis,
      record.explanation.slice(0, 1000),
      record.secretLabel,
      record.skewMs === null ? null : Math.round(record.skewMs),
      record.bodySha256,
      record.bodyBytes,
      bounded(record.contentType),
      bounded(record.contentEncoding),
      // Header names are ASCII: Node's parser lets nothing else through.
      record.headerNames.slice(0, 64).map((name) => name.slice(0, 128)),
      record.body?.subarray(0, 65_536) ?? null,
    ],
  );
}

/**
 * Deletes the oldest records beyond the bounds, at most a thousand of each kind. Index: primary key, and
 * inbox_rejections_with_body. Locks: SKIP LOCKED, so ingestors that trim at once share the work and wait for nobody.
 */
export async function trimRejections(database: Database, bounds: RejectionBounds = rejectionBounds): Promise<void> {
  for (const [beyond, value] of [
    // Numbers have gaps at most, so that many numbers hold no more rows.
    ['rejection_id <= (select max(rejection_id) from inbox_rejections) - $1', bounds.maxRows],
    [
      `body is not null and rejection_id <= (
         select rejection_id from inbox_rejections where body is not null order by rejection_id desc offset $1 limit 1)`,
      bounds.maxBodies,
    ],
    [`rejected_at < now() - $1 * interval '1 ms'`, bounds.maxAgeMs],
  ] as const) {
    await database.pool.query(
      `delete from inbox_rejections where rejection_id in (
         select rejection_id from inbox_rejections where ${beyond} order by rejection_id limit 1000 for update skip locked)`,
      [value],
    );
  }
}

function bounded(text: string | null): string | null {
  return text === null ? null : text.slice(0, 255).toWellFormed().replaceAll('\0', '\ufffd');
}
