import type { Database } from '@mailroom/db';
import { textAt } from '../api-client.ts';
import type { Drift, StateSource } from '../state-source.ts';
import type { ShopifyObject } from './shopify-api.ts';
import { orderUpdated, type ShopifyOrdersOptions } from './shopify-orders.ts';

/** The orders of a shop beside the table `orders`. */
export function shopifyOrderState({ api, shop, ...at }: ShopifyOrdersOptions): StateSource {
  return {
    ...at,
    account: null,
    objects: 'orders',
    async *compare(database, since) {
      const params = { status: 'any', order: 'updated_at asc', updated_at_min: since.toISOString() };
      for await (const page of api.list('orders', params)) {
        const orders = page.filter((order) => !Number.isNaN(Date.parse(textAt(order, 'updated_at'))));
        const keyOf = (order: ShopifyObject) => `${shop}/orders/${textAt(order, 'id')}`;
        const drifts = (await compareOrders(database, shop, orders)).map(({ order, ...drift }) => ({
          ...drift,
          objectKey: keyOf(order),
          repair: orderUpdated(order, shop),
        }));
        yield { objectKeys: orders.map(keyOf), drifts };
      }
    },
  };
}

type Found = Omit<Drift, 'objectKey' | 'repair'> & { readonly order: ShopifyObject };

async function compareOrders(
  { pool }: Database,
  shop: string,
  orders: readonly ShopifyObject[],
): Promise<readonly Found[]> {
  const { rows } = await pool.query<{ id: string; status: string | null; cancelled: boolean; total: string }>(
    `select order_id::text as id, financial_status as status, cancelled_at is not null as cancelled, total_price::text as total
     from orders where shop = $1 and order_id = any($2::bigint[])`,
    [shop, orders.map((order) => textAt(order, 'id'))],
  );
  const ours = new Map(rows.map((row) => [row.id, row]));
  return orders.flatMap((order): readonly Found[] => {
    const [status, total] = [
      statusOf(textAt(order, 'financial_status'), typeof order['cancelled_at'] === 'string'),
      textAt(order, 'total_price'),
    ];
    const theirs = `${status}, total ${total}`;
    const own = ours.get(textAt(order, 'id'));
    if (!own) return [{ kind: 'missing', ours: null, theirs, order }];
    const ownStatus = statusOf(own.status ?? '', own.cancelled);
    const shown = `${ownStatus}, total ${own.total}`;
    if (ownStatus !== status) return [{ kind: 'status_differs', ours: shown, theirs, order }];
    return Number(own.total) === Number(total) ? [] : [{ kind: 'amount_differs', ours: shown, theirs, order }];
  });
}

function statusOf(financialStatus: string, cancelled: boolean): string {
  return `${financialStatus || 'none'}${cancelled ? ', cancelled' : ''}`;
}
