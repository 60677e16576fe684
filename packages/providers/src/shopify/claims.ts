import { asObject, type JsonValue } from '@mailroom/kernel';
import { idText } from '../id-text.ts';
import type { RawRequest } from '../provider.ts';

/** What the headers of a delivery say. Shopify signs the body alone, so each of these is a claim. */
export interface ShopifyClaims {
  readonly topic: string | null;
  readonly shop: string | null;
  readonly apiVersion: string | null;
  readonly webhookId: string | null;
  readonly triggeredAt: string | null;
  readonly resourceId: string | null;
}

/** Of the "Events" family where it is there, else of the older one (Shopify/shopify-app-js, lib/types.ts). */
export function claimsOf({ headers }: RawRequest): ShopifyClaims {
  const claim = (name: string) => headers.get(`shopify-${name}`)?.[0] ?? headers.get(`x-shopify-${name}`)?.[0] ?? null;
  return {
    topic: claim('topic'),
    shop: claim('shop-domain'),
    apiVersion: claim('api-version'),
    webhookId: claim('webhook-id'),
    triggeredAt: claim('triggered-at'),
    resourceId: claim('resource-id'),
  };
}

/** The headers that `claimsOf` looks at. */
export const claimHeaders: readonly string[] = [
  'topic',
  'shop-domain',
  'api-version',
  'webhook-id',
  'triggered-at',
  'resource-id',
].flatMap((name) => [`shopify-${name}`, `x-shopify-${name}`]);

/**
 * What in the signed body speaks against a claim, in words that quote neither; null: nothing. Whoever has captured one body
 * can send it again under any topic and any shop, so the body is asked wherever it knows: above all before topics that
 * delete something. A body that carries nothing to compare with proves nothing either way.
 */
export function contradiction(claims: ShopifyClaims, body: JsonObject): string | null {
  const shops = [body['shop_domain'], body['myshopify_domain']].filter((domain) => typeof domain === 'string');
  if (claims.shop !== null && shops.some((domain) => domain.toLowerCase() !== claims.shop?.toLowerCase())) {
    return 'the shop that the headers name is not the shop in the signed body';
  }
  const mustCarry = claims.topic === null ? undefined : proofOfTopic[claims.topic];
  if (mustCarry?.some((field) => body[field] === undefined)) {
    return 'the signed body is not one of the topic that the headers name';
  }
  const globalId = body['admin_graphql_api_id'];
  if (typeof globalId !== 'string') return null;
  const type = /^gid:\/\/shopify\/(\w+)\//.exec(globalId)?.[1];
  const expected = typeOfTopic[claims.topic?.split('/')[0] ?? ''];
  if (type !== undefined && expected !== undefined && type !== expected) {
    return 'the object in the signed body is not of the topic that the headers name';
  }
  if (claims.resourceId?.startsWith('gid://') && claims.resourceId !== globalId) {
    return 'the resource that the headers name is not the object in the signed body';
  }
  return null;
}

/** The id of an object inside the body, like `customer.id`. */
export function innerId(body: JsonObject, field: string): string | null {
  return idText(asObject(body[field])?.['id']);
}

export type JsonObject = { readonly [key: string]: JsonValue };

// A shop resource; the bodies of the privacy topics (shopify.dev, "Privacy law compliance").
const proofOfTopic: Readonly<Record<string, readonly string[]>> = {
  'app/uninstalled': ['id', 'myshopify_domain'],
  'shop/update': ['id', 'myshopify_domain'],
  'shop/redact': ['shop_id', 'shop_domain'],
  'customers/redact': ['shop_id', 'shop_domain', 'customer'],
  'customers/data_request': ['shop_id', 'shop_domain', 'customer'],
};

const typeOfTopic: Readonly<Record<string, string>> = {
  collections: 'Collection',
  customers: 'Customer',
  draft_orders: 'DraftOrder',
  fulfillments: 'Fulfillment',
  inventory_levels: 'InventoryLevel',
  orders: 'Order',
  products: 'Product',
  refunds: 'Refund',
};
