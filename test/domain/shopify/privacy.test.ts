import { handlers } from '@mailroom/domain';
import { describeHandler, sampleDelivery } from '@mailroom/handler-kit';

describeHandler({
  handlers: handlers.filter(({ provider }) => provider === 'shopify'),
  deliveries: ['app/uninstalled', 'customers/data_request', 'customers/redact', 'shop/redact'].map((topic) =>
    sampleDelivery('shopify', topic),
  ),
  tables: ['shops', 'compliance_requests'],
  // These times count from the receipt, and a message names its request by a number that the database gave.
  ignore: ['uninstalled_at', 'due_at', 'outbox.payload.due_at', 'outbox.payload.request'],
});
