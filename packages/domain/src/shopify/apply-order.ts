import type { Tx } from '@mailroom/db';
import { done, type HandlerOutcome } from '@mailroom/kernel';
import { append } from '@mailroom/outbox';
import type { HandledEvent, TiePolicy } from '../handler.ts';
import { settleTie } from '../settle-tie.ts';
import { type Kept, snapshotTable } from '../snapshot-table.ts';
import { tellOnce } from '../tell-once.ts';
import { type Order, stepOf } from './read-order.ts';
import { noShop, shopOf } from './shop.ts';

const orders = snapshotTable({
  table: 'orders',
  key: { shop: 'text', order_id: 'int8' },
  content: {
    name: 'text',
    currency: 'text',
    total_price: 'numeric',
    financial_status: 'text',
    cancelled_at: 'timestamptz',
  },
});

/** An order as one event shows it. */
interface ShownOrder {
  readonly event: HandledEvent;
  readonly payload: Order;
  readonly onTie: TiePolicy;
}

/**
 * What every order webhook does, whichever comes first: keep the greatest snapshot by `updated_at` and tell, once each, that the
 * order was placed, is paid, is cancelled. A cancelled order stays cancelled; within one second the payment's progress says which
 * snapshot is later. Many events are one statement, also where an order occurs several times among them.
 */
export async function applyOrders(tx: Tx, events: readonly ShownOrder[]): Promise<readonly HandlerOutcome[]> {
  const filed = events.flatMap((shown) => {
    const shop = shopOf(shown.event);
    return shop === null ? [] : [{ ...shown, shop }];
  });
  const kept = await orders.keepGreatest(tx, filed.map(snapshotOf));
  const placed = new Set<string>();
  for (const [index, shown] of filed.entries()) {
    const row = kept[index];
    if (row) await tell(tx, shown, row, placed);
  }
  return events.map(({ event }) => (shopOf(event) === null ? noShop : done));
}

function snapshotOf({ event, payload: order, shop }: ShownOrder & { readonly shop: string }) {
  return {
    key: { shop, order_id: order.id },
    content: {
      name: order.name,
      currency: order.currency,
      total_price: order.totalPrice,
      financial_status: order.financialStatus,
      cancelled_at: order.cancelledAt,
    },
    stage: order.cancelledAt === null ? 0 : 1,
    at: order.updatedAt,
    step: stepOf(order),
    eventId: event.eventId,
  };
}

async function tell(
  tx: Tx,
  { event, payload: order, onTie, shop }: ShownOrder & { readonly shop: string },
  kept: Kept,
  placed: Set<string>,
): Promise<void> {
  const id = order.id.toString();
  const key = `shopify:order:${shop}/${id}`;
  await settleTie(tx, event, { object: { type: 'order', id, key }, kept, onTie });
  const message = {
    aggregate: key,
    payload: { shop, order: id, total_price: order.totalPrice, currency: order.currency },
    source: event,
  };
  // The row is new exactly once, so nothing else need remember that this was told.
  if (kept.inserted && !placed.has(key)) await append(tx, { ...message, topic: 'order.placed' });
  placed.add(key);
  if (order.financialStatus !== null && wasPaid.has(order.financialStatus)) {
    await tellOnce(tx, { ...message, topic: 'order.paid', fact: 'paid' });
  }
  if (order.cancelledAt !== null) await tellOnce(tx, { ...message, topic: 'order.cancelled', fact: 'cancelled' });
}

const wasPaid: ReadonlySet<string> = new Set(['paid', 'partially_refunded', 'refunded']);
