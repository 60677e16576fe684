/** What the business work needs of an event. */
export interface PaidInvoice {
  readonly eventId: string;
  readonly invoiceId: string;
  readonly customer: string;
  readonly amount: number;
}

/** Reads it out of the event's JSON, as whatever queue hands it over. */
export function paidInvoice(payload: unknown): PaidInvoice {
  const event = payload as {
    readonly id: string;
    readonly data: {
      readonly object: { readonly id: string; readonly customer: string; readonly amount_paid: number };
    };
  };
  const { id, customer, amount_paid } = event.data.object;
  return { eventId: event.id, invoiceId: id, customer, amount: amount_paid };
}

/** The handler of an event that is meant to fail throws this after its first write. */
export class MeantToFail extends Error {
  constructor() {
    super('this event is meant to fail');
  }
}
