import type { Scheme } from '@mailroom/providers';
import { textAt } from '../api-client.ts';
import type { EventSource, FetchedEvent } from '../event-source.ts';
import { jsonBytes } from '../write-json.ts';
import type { StripeApi, StripeObject } from './stripe-api.ts';

export interface StripeEventsOptions {
  readonly provider: string;
  readonly endpoint: string;
  readonly scheme: Scheme;
  readonly api: StripeApi;
  /** Null: the key's own. */
  readonly account: string | null;
  /** What the endpoint's registration asks for; `*` at the end stands for anything. Null: everything. */
  readonly types: readonly string[] | null;
}

/**
 * Stripe's list of events, thirty days of them (docs.stripe.com/api/events/list). An event keeps its id, so the webhook that comes
 * late is a duplicate. Not only those with `delivery_success=false`: what was answered 200 and lost by us is missing too.
 */
export function stripeEvents({ api, account, types, ...at }: StripeEventsOptions): EventSource {
  const asked = types?.length && types.length <= mostTypes && !types.some((type) => type.endsWith('*')) ? types : [];
  return {
    ...at,
    account,
    reachMs: 30 * 86_400_000,
    knownBy: 'id',
    async *list({ since, until }) {
      const params = [
        ['created[gte]', seconds(since)],
        ['created[lt]', seconds(until)],
        ...asked.map((type) => ['types[]', type] as const),
      ] as const;
      for await (const page of api.list('events', { account, params })) {
        yield page.filter(isWanted).map((event) => asDelivered(event, account));
      }
    },
  };

  function isWanted(event: StripeObject): boolean {
    return types === null || types.some((wanted) => matches(textAt(event, 'type'), wanted));
  }
}

/** A webhook of a connected account names it; the account's own list does not. */
function asDelivered(event: StripeObject, account: string | null): FetchedEvent {
  const named = account === null || event['account'] !== undefined ? event : { ...event, account };
  return { body: jsonBytes(named), headers: {} };
}

function matches(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}

function seconds(at: Date): string {
  return String(Math.ceil(at.getTime() / 1000));
}

// What one call of Stripe's list takes.
const mostTypes = 20;
