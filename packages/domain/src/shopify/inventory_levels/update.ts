import { z } from 'zod';
import { defineHandler } from '../../define-handler.ts';
import { time, wholeNumber } from '../../payload-fields.ts';
import { settleTie } from '../../settle-tie.ts';
import { snapshotTable } from '../../snapshot-table.ts';
import { forShop } from '../shop.ts';

const levels = snapshotTable({
  table: 'inventory_levels',
  key: { shop: 'text', inventory_item_id: 'int8', location_id: 'int8' },
  content: { available: 'int8' },
});

/**
 * So many of an item are at a location. The event shows the level, not the change, so it is a snapshot: adding it up would be
 * wrong after the first duplicate. A stock level has no id of its own, item and location make its key.
 */
export const inventoryLevelsUpdate = defineHandler({
  provider: 'shopify',
  eventType: 'inventory_levels/update',
  payload: z.object({
    inventory_item_id: wholeNumber,
    location_id: wholeNumber,
    available: wholeNumber.nullable(),
    updated_at: time,
  }),
  onTie: 'keep',
  ownRowsOnly: true,
  async handle({ tx, event, payload: level, onTie }) {
    return await forShop(event, async (shop) => {
      const [kept] = await levels.keepGreatest(tx, [
        {
          key: { shop, inventory_item_id: level.inventory_item_id, location_id: level.location_id },
          content: { available: level.available },
          stage: 0,
          at: level.updated_at,
          step: 0,
          eventId: event.eventId,
        },
      ]);
      const id = `${level.inventory_item_id}/${level.location_id}`;
      const object = { type: 'inventory_level', id, key: `shopify:inventory_level:${shop}/${id}` };
      if (kept) await settleTie(tx, event, { object, kept, onTie });
    });
  },
});
