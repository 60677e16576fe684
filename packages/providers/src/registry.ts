import { adyen } from './adyen/adyen.ts';
import { genericHmac } from './generic-hmac/generic-hmac.ts';
import { github } from './github/github.ts';
import { gocardless } from './gocardless/gocardless.ts';
import { lemonsqueezy } from './lemonsqueezy/lemonsqueezy.ts';
import { marqeta } from './marqeta/marqeta.ts';
import { mollie } from './mollie/mollie.ts';
import { paddle } from './paddle/paddle.ts';
import { paypal } from './paypal/paypal.ts';
import type { EndpointOptions, Provider, Scheme } from './provider.ts';
import { shopify } from './shopify/shopify.ts';
import { slack } from './slack/slack.ts';
import { square } from './square/square.ts';
import { standardWebhooks } from './standard-webhooks/standard-webhooks.ts';
import { stripe } from './stripe/stripe.ts';
import { xero } from './xero/xero.ts';
import { zoom } from './zoom/zoom.ts';

/** Every provider, in the order in which they are shown. Routes, secrets, samples, docs and contract tests derive from this. */
export const providers: readonly Provider[] = [
  stripe,
  shopify,
  marqeta,
  standardWebhooks,
  adyen,
  paypal,
  square,
  gocardless,
  paddle,
  github,
  lemonsqueezy,
  slack,
  zoom,
  xero,
  mollie,
  genericHmac,
];

/** The provider of that name, or undefined. `name` may come from a URL: nothing but an exact name is found. */
export function findProvider(name: string): Provider | undefined {
  return byName.get(name);
}

/**
 * The scheme of an endpoint whose provider and options the configuration has accepted. Throws on a name or on options that
 * it would refuse: a fault of the caller.
 */
export function schemeOf(name: string, options: EndpointOptions = {}): Scheme {
  const configured = findProvider(name)?.configure(options);
  if (configured?.outcome === 'configured') return configured.scheme;
  throw new Error(`no provider ${name} takes these options`);
}

const byName: ReadonlyMap<string, Provider> = new Map(providers.map((provider) => [provider.name, provider]));
