import { defineHandler } from '../../define-handler.ts';
import { applyOrders } from '../apply-order.ts';
import { orderEvent } from '../read-order.ts';

/** Anything about an order changed; often sent together with the topic that says what. */
export const ordersUpdated = defineHandler({
  provider: 'shopify',
  eventType: 'orders/updated',
  payload: orderEvent,
  onTie: 'keep',
  ownRowsOnly: true,
  handleMany: applyOrders,
});
