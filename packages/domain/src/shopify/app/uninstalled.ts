import { sql } from 'kysely';
import { z } from 'zod';
import { defineHandler } from '../../define-handler.ts';
import { time } from '../../payload-fields.ts';
import { tellOnce } from '../../tell-once.ts';
import { forShop } from '../shop.ts';

/**
 * A merchant has uninstalled the app: from now on its access token is worth nothing. The body is the shop as it was, whose
 * `updated_at` is older than the act, so the time is that of the first receipt; it only moves forward.
 */
export const appUninstalled = defineHandler({
  provider: 'shopify',
  eventType: 'app/uninstalled',
  payload: z.object({ myshopify_domain: z.string(), updated_at: time }),
  ownRowsOnly: true,
  async handle({ tx, event, payload }) {
    return await forShop(event, async (shop) => {
      await tx
        .insertInto('shops')
        .values({ shop, uninstalled_at: event.receivedAt })
        .onConflict((conflict) =>
          conflict
            .column('shop')
            .doUpdateSet((eb) => ({ uninstalled_at: eb.ref('excluded.uninstalled_at') }))
            .where(sql<boolean>`shops.uninstalled_at < excluded.uninstalled_at`),
        )
        .execute();
      await tellOnce(tx, {
        topic: 'shop.uninstalled',
        aggregate: `shopify:shop:${shop}`,
        // Deliveries to two subscriptions bear the same body; a later uninstallation bears another.
        fact: `uninstalled ${payload.updated_at.toISOString()}`,
        payload: { shop },
        source: event,
      });
    });
  },
});
