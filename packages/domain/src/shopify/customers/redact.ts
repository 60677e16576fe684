import { done } from '@mailroom/kernel';
import { z } from 'zod';
import { defineHandler } from '../../define-handler.ts';
import { text, wholeNumber } from '../../payload-fields.ts';
import { recordComplianceRequest } from '../record-compliance-request.ts';

/** What is stored of a customer is to be deleted within 30 days. */
export const customersRedact = defineHandler({
  provider: 'shopify',
  eventType: 'customers/redact',
  payload: z.object({
    shop_domain: text(150),
    customer: z.object({ id: wholeNumber }),
    orders_to_redact: z.array(wholeNumber).nullish(),
  }),
  ownRowsOnly: true,
  async handle({ tx, event, payload }) {
    await recordComplianceRequest(tx, event, {
      shop: payload.shop_domain,
      kind: 'customers/redact',
      customerId: payload.customer.id,
      providerRequestId: null,
      orders: payload.orders_to_redact ?? [],
    });
    return done;
  },
});
