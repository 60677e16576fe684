import { createHash } from 'node:crypto';
import type { JsonValue } from '@mailroom/kernel';
import type { Sample, SampleValues } from '../provider.ts';

/**
 * An order that is placed, changed, paid and cancelled, a product, a stock level, and the topics after which data must be shown
 * or must go. Written for Mailroom from Shopify's documentation.
 */
export const samples: Readonly<Record<string, Sample>> = {
  'orders/create': sample('orders/create', (values) => order(values, { financial_status: 'pending' })),
  'orders/updated': sample('orders/updated', (values) => order(values, { financial_status: 'authorized' })),
  'orders/paid': sample('orders/paid', (values) => order(values, { financial_status: 'paid' })),
  'orders/cancelled': sample('orders/cancelled', (values) =>
    order(values, { financial_status: 'voided', cancel_reason: 'customer', cancelled_at: timeOf(values) }),
  ),
  'products/update': sample('products/update', (values) => ({
    id: numberOf(values.tag, 'product'),
    admin_graphql_api_id: `gid://shopify/Product/${numberOf(values.tag, 'product')}`,
    title: 'Teapot',
    handle: 'teapot',
    vendor: 'Example Pottery',
    status: 'active',
    updated_at: timeOf(values),
    variants: [
      { id: numberOf(values.tag, 'small'), title: 'Small', price: '97.49' },
      { id: numberOf(values.tag, 'large'), title: 'Large', price: '127.49' },
    ],
  })),
  'inventory_levels/update': sample('inventory_levels/update', (values) => ({
    inventory_item_id: numberOf(values.tag, 'item'),
    location_id: numberOf(values.tag, 'location'),
    available: 6,
    updated_at: timeOf(values),
    admin_graphql_api_id: `gid://shopify/InventoryLevel/${numberOf(values.tag, 'location')}`,
  })),
  'app/uninstalled': sample('app/uninstalled', (values) => ({
    id: numberOf(values.tag, 'shop'),
    name: `Shop ${values.tag}`,
    myshopify_domain: shopOf(values),
    updated_at: timeOf(values),
  })),
  'customers/data_request': sample('customers/data_request', (values) => ({
    shop_id: numberOf(values.tag, 'shop'),
    shop_domain: shopOf(values),
    customer: { id: numberOf(values.tag, 'customer') },
    orders_requested: [numberOf(values.tag, 'order')],
    data_request: { id: numberOf(values.tag, 'request') },
  })),
  'customers/redact': sample('customers/redact', (values) => ({
    shop_id: numberOf(values.tag, 'shop'),
    shop_domain: shopOf(values),
    customer: { id: numberOf(values.tag, 'customer') },
    orders_to_redact: [numberOf(values.tag, 'order')],
  })),
  'shop/redact': sample('shop/redact', (values) => ({
    shop_id: numberOf(values.tag, 'shop'),
    shop_domain: shopOf(values),
  })),
};

function sample(topic: string, body: Sample['body']): Sample {
  return {
    eventType: topic,
    body,
    headers: (values) => ({
      'x-shopify-topic': topic,
      'x-shopify-shop-domain': shopOf(values),
      'x-shopify-api-version': '2026-10',
      'x-shopify-webhook-id': `${values.tag}-${topic.replace('/', '-')}`,
      'x-shopify-triggered-at': timeOf(values),
    }),
  };
}

function order(values: SampleValues, state: Readonly<Record<string, JsonValue>>): JsonValue {
  const id = numberOf(values.tag, 'order');
  return {
    id,
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
    name: `#${values.tag}`,
    currency: 'USD',
    total_price: '254.98',
    cancel_reason: null,
    cancelled_at: null,
    created_at: timeOf(values),
    updated_at: timeOf(values),
    line_items: [{ id: numberOf(values.tag, 'line'), title: 'Teapot', quantity: 2, price: '127.49' }],
    ...state,
  };
}

function shopOf({ tag }: SampleValues): string {
  return `${tag.toLowerCase()}.myshopify.com`;
}

function timeOf({ nowMs }: SampleValues): string {
  return new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Shopify's ids are numbers: 13 digits, the same for the same tag. */
function numberOf(tag: string, kind: string): number {
  const bytes = createHash('sha256').update(`${kind}/${tag}`).digest();
  return 1_000_000_000_000 + bytes.readUIntBE(0, 5);
}
