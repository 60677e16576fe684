import { done, type HandlerOutcome, reject } from '@mailroom/kernel';
import type { HandledEvent } from '../handler.ts';

/**
 * The shop that the delivery's header names, or null. No signature covers it, so it is a claim: good enough to file an order
 * under, while whatever deletes something takes the shop from the signed body.
 */
export function shopOf({ account }: HandledEvent): string | null {
  // So that every key of the shop's objects fits an outbox aggregate. A domain of Shopify has at most 77 characters.
  return account === null || account.length > 150 ? null : account;
}

/** Does what is to be done for the event's shop; without one there is nothing to file it under, now or later. */
export async function forShop(event: HandledEvent, work: (shop: string) => Promise<void>): Promise<HandlerOutcome> {
  const shop = shopOf(event);
  if (shop === null) return noShop;
  await work(shop);
  return done;
}

export const noShop = reject('shop_missing', 'no header of the delivery names the shop');
