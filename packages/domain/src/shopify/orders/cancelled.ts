import { defineHandler } from '../../define-handler.ts';
import { applyOrders } from '../apply-order.ts';
import { orderEvent } from '../read-order.ts';

/** An order is cancelled, for good. */
export const ordersCancelled = defineHandler({
  provider: 'shopify',
  eventType: 'orders/cancelled',
  payload: orderEvent,
  onTie: 'keep',
  ownRowsOnly: true,
  handleMany: applyOrders,
});
