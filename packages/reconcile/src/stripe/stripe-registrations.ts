import { textAt } from '../api-client.ts';
import type { StripeApi, StripeObject } from './stripe-api.ts';

/** A webhook endpoint as it is registered at Stripe. */
export interface StripeRegistration {
  readonly id: string;
  readonly url: string;
  readonly enabled: boolean;
  /** What it asks for; null: everything. */
  readonly types: readonly string[] | null;
}

/** The registrations of the key's account that point at `url`. */
export async function stripeRegistrations(api: StripeApi, url: string): Promise<readonly StripeRegistration[]> {
  const found: StripeRegistration[] = [];
  for await (const page of api.list('webhook_endpoints', { account: null })) {
    found.push(...page.filter((each) => samePlace(textAt(each, 'url'), url)).map(registrationOf));
  }
  return found;
}

/** What all of them together ask for; null: everything, or nothing is known. */
export function typesOf(registrations: readonly StripeRegistration[]): readonly string[] | null {
  if (registrations.length === 0 || registrations.some(({ types }) => types === null)) return null;
  return [...new Set(registrations.flatMap(({ types }) => types ?? []))];
}

function registrationOf(object: StripeObject): StripeRegistration {
  const listed = object['enabled_events'];
  const types: readonly string[] = Array.isArray(listed) ? listed.filter((type) => typeof type === 'string') : ['*'];
  return {
    id: textAt(object, 'id'),
    url: textAt(object, 'url'),
    enabled: object['status'] !== 'disabled',
    types: types.includes('*') ? null : types,
  };
}

/** The same address, however it is written. */
export function samePlace(one: string, other: string): boolean {
  const [a, b] = [URL.parse(one), URL.parse(other)];
  return (
    a !== null &&
    b !== null &&
    `${a.origin}${a.pathname}`.replace(/\/$/, '') === `${b.origin}${b.pathname}`.replace(/\/$/, '')
  );
}
