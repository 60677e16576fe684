import type { Provider } from './provider.ts';
import { stripe } from './stripe/stripe.ts';

/** Every provider, in the order in which they are shown. Routes, secrets, samples and contract tests derive from this. */
export const providers: readonly Provider[] = [stripe];

/** The provider of that name, or undefined. `name` may come from a URL: nothing but an exact name is found. */
export function findProvider(name: string): Provider | undefined {
  return byName.get(name);
}

const byName: ReadonlyMap<string, Provider> = new Map(providers.map((provider) => [provider.name, provider]));
