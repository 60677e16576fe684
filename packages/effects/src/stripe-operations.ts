import { CodedError } from '@mailroom/kernel';
import type { StripeApi, StripeObject } from './stripe-api.ts';
import type { StripeCall } from './stripe-call.ts';

/** How one operation is called, and how it is told afterwards whether it happened. */
export interface StripeOperation {
  readonly method: 'POST' | 'DELETE';
  path(call: StripeCall): string;
  /** Where the API takes no idempotency key or tells a repetition by an error: look before the first call too. */
  readonly lookFirst?: true;
  /** The object that this very call made or changed, or null. Reads what is current: a list, an object; never the search, which lags. */
  find(api: StripeApi, call: StripeCall, since: Date): Promise<StripeObject | null>;
}

/** The metadata key under which an object carries the key of the call that made or changed it last. */
const keyInMetadata = 'mailroom_key';

/** What can be asked for. One more is one more entry. */
export const operations: Readonly<Record<string, StripeOperation>> = {
  'refunds.create': created('/v1/refunds', ['charge', 'payment_intent']),
  'invoiceitems.create': created('/v1/invoiceitems', ['customer', 'invoice']),
  'customers.update': changed('/v1/customers'),
  'subscriptions.update': changed('/v1/subscriptions'),
  'subscriptions.cancel': {
    method: 'DELETE',
    path: (call) => `/v1/subscriptions/${call.id}`,
    lookFirst: true,
    find: async (api, call) => {
      const { body } = await api.call('GET', `/v1/subscriptions/${call.id}`, { account: call.account });
      return body['status'] === 'canceled' ? body : null;
    },
  },
};

/** The parameters as they are sent. */
export function paramsOf({ params, key }: StripeCall, { method }: StripeOperation): Readonly<Record<string, unknown>> {
  if (method === 'DELETE') return params;
  return { ...params, metadata: { ...(params['metadata'] as object | undefined), [keyInMetadata]: key } };
}

/** Found by its key in the list of what was created since the first call, narrowed by those parameters that the list filters by. */
function created(path: string, narrowBy: readonly string[]): StripeOperation {
  return {
    method: 'POST',
    path: () => path,
    find: async (api, call, since) => {
      const narrowed = Object.fromEntries(narrowBy.map((name) => [name, call.params[name]]));
      const from = Math.floor(since.getTime() / 1000) - clockSkewSeconds;
      let after: unknown;
      for (let page = 0; page < mostPages; page += 1) {
        const params = { ...narrowed, created: { gte: from }, limit: 100, starting_after: after };
        const { body } = await api.call('GET', path, { params, account: call.account });
        const objects = body['data'] as readonly StripeObject[];
        const found = objects.find((object) => carries(object, call.key));
        if (found) return found;
        if (body['has_more'] !== true) return null;
        after = objects.at(-1)?.['id'];
      }
      throw new CodedError(
        'lookup_undecided',
        `among the first ${mostPages * 100} objects of ${path} there is none with the key`,
      );
    },
  };
}

function changed(path: string): StripeOperation {
  const target = (call: StripeCall) => `${path}/${call.id}`;
  return {
    method: 'POST',
    path: target,
    find: async (api, call) => {
      const { body } = await api.call('GET', target(call), { account: call.account });
      return carries(body, call.key) ? body : null;
    },
  };
}

function carries(object: StripeObject, key: string): boolean {
  return (object['metadata'] as Readonly<Record<string, unknown>> | undefined)?.[keyInMetadata] === key;
}

// Between the database's clock and Stripe's there may be some difference; an hour more to look through costs nothing.
const clockSkewSeconds = 3_600;
// A list that is narrowed to one charge or customer ends on the first page.
const mostPages = 20;
