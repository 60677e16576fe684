import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

/** What may be told about a body without showing it. */
export interface BodyFacts {
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  readonly contentType: string | null;
}

/** By primary key of webhook_delivery; the bytes stay in the database. Null where the body is gone. */
export async function bodyFacts(tx: Tx, deliveryId: string): Promise<BodyFacts | null> {
  const { rows } = await sql<BodyFacts>`
    select octet_length(body) as bytes, encode(sha256(body), 'hex') as sha256, content_type as "contentType"
    from webhook_delivery where delivery_id = ${deliveryId}`.execute(tx);
  return rows[0] ?? null;
}

export interface StoredBody {
  readonly body: Buffer;
  readonly contentType: string | null;
}

/** The exact bytes as they were received. Null where the body is gone. */
export async function storedBody(tx: Tx, deliveryId: string): Promise<StoredBody | null> {
  const row = await tx
    .selectFrom('webhook_delivery')
    .select(['body', 'content_type as contentType'])
    .where('delivery_id', '=', deliveryId)
    .executeTakeFirst();
  return row ?? null;
}
