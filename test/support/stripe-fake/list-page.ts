import { listOf, type Params } from './params.ts';
import type { StripeObject } from './resources.ts';
import { type Answer, noSuch, stripeError } from './stripe-error.ts';

/** What decides which objects a list shows. */
export interface ListQuery {
  readonly resource: string;
  readonly params: Params;
  readonly nowMs: number;
  /** Whether every endpoint has answered 2xx to an event. */
  readonly isDelivered: (eventId: string) => boolean;
}

/** A page as Stripe gives it: newest first, `limit` 1 to 100 (10), `has_more` in the direction of the paging. */
export function listPage(objects: readonly StripeObject[], query: ListQuery): Answer {
  const { params, resource } = query;
  const limit = Number(params.get('limit') ?? 10);
  if (!(limit >= 1 && limit <= 100)) return stripeError(400, { param: 'limit', message: 'limit is 1 to 100' });
  const newestFirst = objects
    .toReversed()
    .toSorted((a, b) => Number(b['created']) - Number(a['created']))
    .filter((object) => isShown(object, query));
  const after = params.get('starting_after');
  const before = params.get('ending_before');
  const cursor = after ?? before;
  const at = newestFirst.findIndex(({ id }) => id === cursor);
  if (cursor !== undefined && at < 0) return noSuch(resource, cursor, after ? 'starting_after' : 'ending_before');
  const rest = before === undefined ? newestFirst.slice(at + 1) : newestFirst.slice(0, at);
  const data = before === undefined ? rest.slice(0, limit) : rest.slice(-limit);
  return { status: 200, body: { object: 'list', data, has_more: rest.length > data.length, url: `/v1/${resource}` } };
}

function isShown(object: StripeObject, { resource, params, nowMs, isDelivered }: ListQuery): boolean {
  if (resource === 'events' && Number(object['created']) * 1000 < nowMs - eventsListedMs) return false;
  // Stripe lists no ended subscription unless it is asked for.
  if (resource === 'subscriptions' && !params.has('status') && object['status'] === 'canceled') return false;
  const types = listOf(params, 'types');
  if (types.length > 0 && !types.includes(String(object['type']))) return false;
  return [...params].every(([name, wanted]) => {
    const [, field, comparison] = /^(\w+)\[(gte|lte|gt|lt)\]$/.exec(name) ?? [];
    if (field !== undefined) return compares(Number(object[field]), String(comparison), Number(wanted));
    if (name === 'delivery_success') return isDelivered(object.id) === (wanted === 'true');
    if (name === 'type') return matchesType(String(object['type']), wanted);
    if (name === 'status' && wanted === 'all') return true;
    return !filters.has(name) || String(object[name]) === wanted;
  });
}

const eventsListedMs = 30 * 24 * 3_600_000;
const filters = new Set(['created', 'customer', 'charge', 'payment_intent', 'invoice', 'status', 'subscription']);

function compares(value: number, comparison: string, bound: number): boolean {
  if (comparison === 'gte') return value >= bound;
  if (comparison === 'lte') return value <= bound;
  return comparison === 'gt' ? value > bound : value < bound;
}

function matchesType(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}
