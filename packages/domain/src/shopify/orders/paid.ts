import { defineHandler } from '../../define-handler.ts';
import { applyOrders } from '../apply-order.ts';
import { orderEvent } from '../read-order.ts';

/** An order is paid in full. */
export const ordersPaid = defineHandler({
  provider: 'shopify',
  eventType: 'orders/paid',
  payload: orderEvent,
  onTie: 'keep',
  ownRowsOnly: true,
  handleMany: applyOrders,
});
