import { type ReceiptRow, textArrayLiteral } from './insert-receipts.ts';
import { keyColumns } from './key-columns.ts';

/** Sends one statement: through a pool, or in a transaction. */
export type Send = (text: string, values: unknown[]) => Promise<{ readonly rows: readonly unknown[] }>;

/**
 * Indexes: primary keys of webhook_inbox and webhook_delivery. A known event whose body is gone (its retention is shorter) gets it
 * back from the redelivery, under its old delivery id, so that the ledger row is not written. Apart from the receipt's statement,
 * which is prepared and must not depend on how large the tables are.
 */
export async function reattachBodies(send: Send, known: readonly ReceiptRow[]): Promise<void> {
  if (known.length === 0) return;
  const paths = known.map(({ event }) => (event.itemPath === null ? null : textArrayLiteral(event.itemPath)));
  const { rows } = await send(goneText, [...keyColumns(known), paths]);
  const gone = rows as readonly { readonly number: number; readonly deliveryId: string }[];
  const rowOf = new Map(gone.map(({ number, deliveryId }) => [deliveryId, known[number - 1] as ReceiptRow]));
  for (const [deliveryId, { delivery }] of rowOf) {
    const { provider, endpoint, contentType, headers, body } = delivery;
    await send(attachText, [deliveryId, provider, endpoint, contentType, JSON.stringify(headers), body]);
  }
}

const goneText = `
select n.number::int as number, l.delivery_id as "deliveryId"
from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality
  as n (provider, endpoint, event_id, item_path, number)
join webhook_inbox l on l.provider = n.provider and l.endpoint = n.endpoint and l.event_id = n.event_id
  and l.item_path is not distinct from n.item_path::text[]
where not exists (select from webhook_delivery b where b.delivery_id = l.delivery_id)`;

const attachText = `
insert into webhook_delivery (delivery_id, provider, endpoint, content_type, headers, body)
values ($1, $2, $3, $4, $5::jsonb, $6) on conflict (delivery_id) do nothing`;
