import { defineHandler } from '../../define-handler.ts';
import { applyOrders } from '../apply-order.ts';
import { orderEvent } from '../read-order.ts';

/** The customer has placed an order. */
export const ordersCreate = defineHandler({
  provider: 'shopify',
  eventType: 'orders/create',
  payload: orderEvent,
  onTie: 'keep',
  ownRowsOnly: true,
  handleMany: applyOrders,
});
