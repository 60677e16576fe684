import { type AcceptingEndpoint, schemeOf } from '@mailroom/providers';

/** The endpoint `stripe/billing`. Two secrets while one is being replaced; the label of the one that matched is stored. */
export function billingEndpoint(secret: string): AcceptingEndpoint {
  return {
    provider: 'stripe',
    endpoint: 'billing',
    scheme: schemeOf('stripe'),
    secrets: [{ label: 'current', value: secret }],
    toleranceMs: 300_000,
  };
}
