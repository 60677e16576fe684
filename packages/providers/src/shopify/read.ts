import { createHash } from 'node:crypto';
import { asObject, readJson } from '@mailroom/kernel';
import { boundedText, plainNameOf } from '../bounded-text.ts';
import { eventIdOf } from '../event-id.ts';
import { idText } from '../id-text.ts';
import type { RawRequest, Reading } from '../provider.ts';
import { timeFromText } from '../provider-time.ts';
import { unreadable } from '../unreadable.ts';
import { claimsOf, contradiction, innerId, type JsonObject, type ShopifyClaims } from './claims.ts';

/**
 * Names the one event of a Shopify delivery. Id, topic and shop come from headers that nobody signed: what the body
 * contradicts is kept and quarantined, and the hash of the body goes along, so that one body under several ids is seen.
 */
export function readShopify(request: RawRequest): Reading {
  const { body } = request;
  const claims = claimsOf(request);
  const json = readJson(body);
  if (json.outcome === 'not_json') return unreadable(body, json.reason);
  const object = asObject(json.value);
  if (!object) return unreadable(body, 'the body is JSON, but not an object');
  const eventType = boundedText(claims.topic);
  if (eventType === null) return unreadable(body, 'no header names the topic');
  const against = contradiction(claims, object);
  if (against !== null) return unreadable(body, against);

  const named = {
    // Unique for each delivery of each subscription. Event-Id is shared by the deliveries of one action of a merchant, so
    // naming by it would drop the second subscription's delivery (shopify.dev, "Verify webhook deliveries").
    eventId: eventIdOf(claims.webhookId, body),
    bodyHash: createHash('sha256').update(body).digest('hex'),
    eventType,
    objectKey: objectKeyOf(claims, object),
    providerTime: timeFromText(object['updated_at']) ?? timeFromText(claims.triggeredAt),
    apiVersion: boundedText(claims.apiVersion),
    account: boundedText(claims.shop),
    livemode: null,
    itemPath: null,
  };
  return { outcome: 'events', events: [named] };
}

/** `shop.myshopify.com/orders/450789469`: the object whose events belong together, which for a refund is its order. */
function objectKeyOf({ topic, shop }: ShopifyClaims, body: JsonObject): string | null {
  const subject = subjectOf(topic ?? '', body);
  return subject === null ? null : plainNameOf(shop === null ? subject : `${shop}/${subject}`);
}

function subjectOf(topic: string, body: JsonObject): string | null {
  const [resource = ''] = topic.split('/');
  switch (topic) {
    case 'customers/redact':
    case 'customers/data_request':
      return within('customers', innerId(body, 'customer'));
    case 'shop/redact':
    case 'shop/update':
    case 'app/uninstalled':
      return 'shop';
  }
  switch (resource) {
    // It has no id: an item at a location (shopify.dev, InventoryLevel).
    case 'inventory_levels': {
      const [item, location] = [idText(body['inventory_item_id']), idText(body['location_id'])];
      return item === null || location === null ? null : `inventory_levels/${item}/${location}`;
    }
    case 'refunds':
    case 'fulfillments':
    case 'order_transactions':
      return within('orders', idText(body['order_id'])) ?? within(resource, idText(body['id']));
    default:
      return within(resource, idText(body['id']));
  }
}

function within(resource: string, id: string | null): string | null {
  return id === null ? null : `${resource}/${id}`;
}
