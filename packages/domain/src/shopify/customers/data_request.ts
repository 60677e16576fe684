import { done } from '@mailroom/kernel';
import { z } from 'zod';
import { defineHandler } from '../../define-handler.ts';
import { text, wholeNumber } from '../../payload-fields.ts';
import { recordComplianceRequest } from '../record-compliance-request.ts';

/** A customer wants to see what is stored: the merchant is to get it within 30 days. */
export const customersDataRequest = defineHandler({
  provider: 'shopify',
  eventType: 'customers/data_request',
  payload: z.object({
    shop_domain: text(150),
    customer: z.object({ id: wholeNumber }),
    orders_requested: z.array(wholeNumber).nullish(),
    data_request: z.object({ id: wholeNumber }),
  }),
  ownRowsOnly: true,
  async handle({ tx, event, payload }) {
    await recordComplianceRequest(tx, event, {
      shop: payload.shop_domain,
      kind: 'customers/data_request',
      customerId: payload.customer.id,
      providerRequestId: payload.data_request.id,
      orders: payload.orders_requested ?? [],
    });
    return done;
  },
});
