import { asObject, CodedError, type JsonValue } from '@mailroom/kernel';
import { type ApiClient, type JsonObject, objectsIn } from '../api-client.ts';

export type StripeObject = JsonObject;

/** Stripe's lists, page by page; `account` is the connected account whose data is asked for. */
export interface StripeApi {
  list(resource: string, query: StripeQuery): AsyncIterable<readonly StripeObject[]>;
}

export interface StripeQuery {
  readonly account: string | null;
  /** `created[gte]` and so on, as they go into the URL. */
  readonly params?: readonly (readonly [name: string, value: string])[];
}

/**
 * The newest first, a hundred at a time. What is listed keeps the shape of the API version below, but events, which keep the one
 * they were made with (docs.stripe.com/api/events).
 */
export function stripeApi(client: ApiClient): StripeApi {
  return { list };

  async function* list(resource: string, { account, params = [] }: StripeQuery) {
    const headers = { 'stripe-version': apiVersion, ...(account !== null && { 'stripe-account': account }) };
    let after: string | undefined;
    for (;;) {
      const search = new URLSearchParams([
        ...params.map(([name, value]): [string, string] => [name, value]),
        ['limit', '100'],
        ...(after === undefined ? [] : [['starting_after', after] as [string, string]]),
      ]);
      const { body } = await client.get(`/v1/${resource}?${search.toString()}`, headers);
      const page = pageOf(body, resource);
      if (page.data.length > 0) yield page.data;
      const last = page.data.at(-1)?.['id'];
      if (!page.hasMore || typeof last !== 'string') return;
      after = last;
    }
  }
}

/** The version that this code was written against. */
export const apiVersion = '2026-10-28.endive';

function pageOf(body: JsonValue, resource: string) {
  const list = asObject(body);
  const data = objectsIn(list?.['data']);
  if (data !== null) return { data, hasMore: list?.['has_more'] === true };
  throw new CodedError('provider_refused', `Stripe's answer to GET /v1/${resource} is not a list`);
}
