import { done } from '@mailroom/kernel';
import { z } from 'zod';
import { defineHandler } from '../../define-handler.ts';
import { text } from '../../payload-fields.ts';
import { recordComplianceRequest } from '../record-compliance-request.ts';

/** Sent 48 hours after a shop has uninstalled the app: all that is stored of the shop is to be deleted within 30 days. */
export const shopRedact = defineHandler({
  provider: 'shopify',
  eventType: 'shop/redact',
  payload: z.object({ shop_domain: text(150) }),
  ownRowsOnly: true,
  async handle({ tx, event, payload }) {
    await recordComplianceRequest(tx, event, {
      shop: payload.shop_domain,
      kind: 'shop/redact',
      customerId: null,
      providerRequestId: null,
      orders: [],
    });
    return done;
  },
});
