import type { Scheme } from '@mailroom/providers';
import { textAt } from '../api-client.ts';
import type { EventSource, FetchedEvent } from '../event-source.ts';
import { jsonBytes } from '../write-json.ts';
import { apiVersion, type ShopifyApi, type ShopifyObject } from './shopify-api.ts';

export interface ShopifyOrdersOptions {
  readonly provider: string;
  readonly endpoint: string;
  readonly scheme: Scheme;
  readonly api: ShopifyApi;
  readonly shop: string;
}

/**
 * Shopify keeps no list of events and none of failed deliveries, so the orders themselves are asked for: what changed in a window
 * comes in as `orders/updated`, the order as it is now. Its id is made of the order and its `updated_at`, so a second sweep makes
 * the same one; a webhook that comes late shows an older or the same version, and the handlers keep the greatest.
 */
export function shopifyOrders({ api, shop, ...at }: ShopifyOrdersOptions): EventSource {
  return {
    ...at,
    account: null,
    // Older orders take the scope read_all_orders (shopify.dev, "Access scopes").
    reachMs: 60 * 86_400_000,
    knownBy: 'object_version',
    async *list({ since, until }) {
      const params = {
        status: 'any',
        order: 'updated_at asc',
        updated_at_min: since.toISOString(),
        updated_at_max: until.toISOString(),
      };
      for await (const page of api.list('orders', params)) {
        // Shopify includes the end.
        yield page.filter((order) => updatedAt(order) < until.getTime()).map((order) => orderUpdated(order, shop));
      }
    },
  };
}

/** The order as a webhook of the topic `orders/updated` would show it. */
export function orderUpdated(order: ShopifyObject, shop: string): FetchedEvent {
  const version = new Date(updatedAt(order)).toISOString();
  const headers = {
    'x-shopify-topic': 'orders/updated',
    'x-shopify-shop-domain': shop,
    'x-shopify-api-version': apiVersion,
    'x-shopify-webhook-id': `reconcile:orders/${textAt(order, 'id')}@${version}`,
  };
  return { body: jsonBytes(order), headers };
}

function updatedAt(order: ShopifyObject): number {
  return Date.parse(textAt(order, 'updated_at'));
}
