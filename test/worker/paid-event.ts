import { invoiceEvent } from '../domain/invoice-events.ts';
import { delivery, incomingEvent } from '../support/inbox-fixtures.ts';

/** A delivery that says an invoice was paid; its handler books one ledger entry and one outbox message. */
export function paidEvent(eventId: string, invoiceId: string) {
  const { event, payload } = invoiceEvent('paid', { id: eventId, invoice: { id: invoiceId } });
  return delivery(eventId, {
    body: Buffer.from(JSON.stringify(payload)),
    events: [incomingEvent(eventId, { eventType: event.eventType, objectKey: `invoice/${invoiceId}` })],
  });
}
