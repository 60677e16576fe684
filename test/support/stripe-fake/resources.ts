/** The part of Stripe's API that the fake knows: the word in the path, what its objects and events are called. */
export const resources: Readonly<Record<string, Resource>> = {
  accounts: { object: 'account', prefix: 'acct' },
  charges: { object: 'charge', prefix: 'ch' },
  credit_notes: { object: 'credit_note', prefix: 'cn' },
  customers: { object: 'customer', prefix: 'cus' },
  disputes: { object: 'dispute', prefix: 'dp' },
  events: { object: 'event', prefix: 'evt' },
  invoiceitems: { object: 'invoiceitem', prefix: 'ii' },
  invoices: { object: 'invoice', prefix: 'in' },
  payment_intents: { object: 'payment_intent', prefix: 'pi' },
  refunds: { object: 'refund', prefix: 're' },
  subscriptions: { object: 'subscription', prefix: 'sub', events: 'customer.subscription' },
  webhook_endpoints: { object: 'webhook_endpoint', prefix: 'we' },
};

interface Resource {
  readonly object: string;
  readonly prefix: string;
  /** What its events begin with where that is not the object's name. */
  readonly events?: string;
}

/** Any object of the API. */
export type StripeObject = Readonly<Record<string, unknown>> & { readonly id: string };
