import { CodedError } from '@mailroom/kernel';
import { type EndpointOptions, schemeOf } from '@mailroom/providers';
import { createApiClient } from './api-client.ts';
import type { EventSource } from './event-source.ts';
import { type ShopifyApi, shopifyApi } from './shopify/shopify-api.ts';
import { shopifyOrders } from './shopify/shopify-orders.ts';
import { shopifyOrderState } from './shopify/shopify-state.ts';
import type { StateSource } from './state-source.ts';
import { type StripeApi, stripeApi } from './stripe/stripe-api.ts';
import { stripeEvents } from './stripe/stripe-events.ts';
import { stripeRegistrations, typesOf } from './stripe/stripe-registrations.ts';
import { stripeInvoices, stripeSubscriptions } from './stripe/stripe-state.ts';

/** An endpoint of the configuration, as far as reconciliation needs it. */
export interface ReconciledEndpoint {
  readonly provider: string;
  readonly scheme: string;
  readonly endpoint: string;
  readonly options: EndpointOptions;
  /** Null: the file does not say. */
  readonly reconcile: {
    readonly key: { readonly value: string } | null;
    readonly accounts: 'own' | 'connected' | 'all';
    readonly types: readonly string[] | null;
    readonly shop: string | null;
    readonly apiBase: string | null;
  } | null;
}

export interface SourceSettings {
  /** For Stripe endpoints without a key of their own. */
  readonly stripeApiKey: string | null;
  /** For Stripe endpoints without an address of their own; null: Stripe's. */
  readonly stripeApiBase: string | null;
  readonly requestsPerSecond: number;
  readonly signal?: AbortSignal;
}

/** What can be asked for an endpoint. */
export type ProviderAccess =
  | { readonly kind: 'stripe'; readonly endpoint: ReconciledEndpoint; readonly api: StripeApi }
  | {
      readonly kind: 'shopify';
      readonly endpoint: ReconciledEndpoint;
      readonly shop: string;
      readonly api: ShopifyApi;
    }
  /** Nothing, and why. */
  | { readonly kind: 'none'; readonly endpoint: ReconciledEndpoint; readonly reason: string };

/**
 * Opens the API behind each endpoint. Asks nothing yet. An endpoint that says nothing is reconciled only where it is the one
 * endpoint of Stripe: of two, one may receive the events of connected accounts, and they must not come in at the other.
 */
export function accessOf(
  endpoints: readonly ReconciledEndpoint[],
  settings: SourceSettings,
): readonly ProviderAccess[] {
  const stripeEndpoints = endpoints.filter(({ scheme }) => scheme === 'stripe').length;
  return endpoints.map((endpoint): ProviderAccess => {
    const none = (reason: string) => ({ kind: 'none', endpoint, reason }) as const;
    const { scheme, reconcile } = endpoint;
    const said = reconcile !== null || (scheme === 'stripe' && stripeEndpoints === 1);
    switch (scheme) {
      case 'stripe': {
        if (!said) return none('the endpoints file has no "reconcile" for it');
        const key = reconcile?.key?.value ?? settings.stripeApiKey;
        if (key === null) return none('there is no API key: set STRIPE_API_KEY');
        const client = createApiClient({
          ...settings,
          name: 'Stripe',
          base: reconcile?.apiBase ?? settings.stripeApiBase ?? 'https://api.stripe.com',
          headers: { authorization: `Bearer ${key}` },
        });
        return { kind: 'stripe', endpoint, api: stripeApi(client) };
      }
      case 'shopify': {
        if (!said) return none('the endpoints file has no "reconcile" for it');
        if (!reconcile?.key || !reconcile.shop) return none('"reconcile" needs "shop" and "key", an access token');
        const client = createApiClient({
          ...settings,
          name: 'Shopify',
          base: reconcile.apiBase ?? `https://${reconcile.shop}`,
          headers: { 'x-shopify-access-token': reconcile.key.value },
          // shopify.dev, "REST Admin API rate limits".
          requestsPerSecond: Math.min(settings.requestsPerSecond, 2),
        });
        return { kind: 'shopify', endpoint, shop: reconcile.shop, api: shopifyApi(client) };
      }
      default:
        return none('there is no list of this provider to ask for; packages/reconcile takes an EventSource');
    }
  });
}

/**
 * The lists of an endpoint: one, or one for each connected account. Asks Stripe which accounts there are, and, where the
 * endpoints file does not say it, which event types the registration that points here asks for.
 */
export async function eventSourcesOf(
  access: ProviderAccess,
  publicUrl: string | null,
): Promise<readonly EventSource[]> {
  if (access.kind === 'none') throw new CodedError('not_reconciled', access.reason);
  const { provider, endpoint, scheme: name, options, reconcile } = access.endpoint;
  const at = { provider, endpoint, scheme: schemeOf(name, options) };
  if (access.kind === 'shopify') return [shopifyOrders({ ...at, api: access.api, shop: access.shop })];
  const { api } = access;
  const accounts = await accountsOf(api, reconcile?.accounts ?? 'own');
  const url = publicUrl === null ? null : webhookUrl(publicUrl, access.endpoint);
  const types = reconcile?.types ?? (url === null ? null : typesOf(await stripeRegistrations(api, url)));
  return accounts.map((account) => stripeEvents({ ...at, api, account, types }));
}

/** The objects of an endpoint that can be compared with our tables. Asks Stripe which accounts there are. */
export async function stateSourcesOf(access: ProviderAccess): Promise<readonly StateSource[]> {
  if (access.kind === 'none') throw new CodedError('not_reconciled', access.reason);
  const { provider, endpoint, scheme: name, options, reconcile } = access.endpoint;
  const at = { provider, endpoint, scheme: schemeOf(name, options) };
  if (access.kind === 'shopify') return [shopifyOrderState({ ...at, api: access.api, shop: access.shop })];
  const accounts = await accountsOf(access.api, reconcile?.accounts ?? 'own');
  return accounts.flatMap((account) => [
    stripeInvoices({ ...at, api: access.api, account }),
    stripeSubscriptions({ ...at, api: access.api, account }),
  ]);
}

/** Where the deliveries of an endpoint are posted. */
export function webhookUrl(
  publicUrl: string,
  { provider, endpoint }: Pick<ReconciledEndpoint, 'provider' | 'endpoint'>,
) {
  return `${publicUrl}/webhooks/${provider}/${endpoint}`;
}

async function accountsOf(api: StripeApi, which: 'own' | 'connected' | 'all'): Promise<readonly (string | null)[]> {
  const accounts: (string | null)[] = which === 'connected' ? [] : [null];
  if (which === 'own') return accounts;
  for await (const page of api.list('accounts', { account: null })) {
    for (const { id } of page) if (typeof id === 'string') accounts.push(id);
  }
  return accounts;
}
