import { z } from 'zod';
import { defineHandler } from '../../define-handler.ts';
import { decimal, text, time, wholeNumber } from '../../payload-fields.ts';
import { settleTie } from '../../settle-tie.ts';
import { snapshotTable } from '../../snapshot-table.ts';
import { forShop } from '../shop.ts';

const products = snapshotTable({
  table: 'products',
  key: { shop: 'text', product_id: 'int8' },
  content: {
    title: 'text',
    handle: 'text',
    vendor: 'text',
    status: 'text',
    variants: 'int4',
    lowest_price: 'numeric',
    highest_price: 'numeric',
  },
});

/** A product, one of its variants or its stock changed: shown whole, often several times within a second. */
export const productsUpdate = defineHandler({
  provider: 'shopify',
  eventType: 'products/update',
  payload: z.object({
    id: wholeNumber,
    title: text(255),
    handle: text(255).nullish(),
    vendor: text(255).nullish(),
    status: text(255).nullish(),
    updated_at: time,
    variants: z.array(z.object({ price: decimal })).default([]),
  }),
  onTie: 'keep',
  ownRowsOnly: true,
  async handle({ tx, event, payload: product, onTie }) {
    return await forShop(event, async (shop) => {
      const prices = product.variants.map(({ price }) => price).toSorted(byAmount);
      const [kept] = await products.keepGreatest(tx, [
        {
          key: { shop, product_id: product.id },
          content: {
            title: product.title,
            handle: product.handle ?? null,
            vendor: product.vendor ?? null,
            status: product.status ?? null,
            variants: prices.length,
            lowest_price: prices.at(0) ?? null,
            highest_price: prices.at(-1) ?? null,
          },
          stage: 0,
          at: product.updated_at,
          step: 0,
          eventId: event.eventId,
        },
      ]);
      const id = product.id.toString();
      const object = { type: 'product', id, key: `shopify:product:${shop}/${id}` };
      if (kept) await settleTie(tx, event, { object, kept, onTie });
    });
  },
});

/** Compares decimal texts without making numbers of them; a decimal has at most 10 digits behind its point. */
function byAmount(a: string, b: string): number {
  const [left, right] = [a, b].map((price) => {
    const [whole = '', fraction = ''] = price.split('.');
    return BigInt(whole + fraction.padEnd(10, '0'));
  }) as [bigint, bigint];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
