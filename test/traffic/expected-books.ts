import { canonicalJson } from './canonical-json.ts';
import type { WantedRow, WantedRows } from './compare.ts';
import { eventsShowing, type History } from './invoice-history.ts';
import type { Invoice, InvoiceStatus } from './stripe-events.ts';

type Entry = readonly [string, WantedRow];

/**
 * Ledger, outbox and anomalies. A paid invoice is booked once and announced once, however many events say so. A payment of a
 * void invoice leaves an anomaly, and in the books either nothing (the void was seen first) or the payment and its reversal
 * together: which of the two is for the order of processing to decide, and both come to nothing.
 */
export function bookRows(histories: ReadonlyMap<string, History>): readonly (readonly [string, WantedRows])[] {
  const books = [...histories].map(([id, history]) => booksOf(id, history));
  return [
    ['ledger_entries', new Map(books.flatMap((book) => book.ledger))],
    ['outbox', new Map(books.flatMap((book) => book.outbox))],
    ['anomalies', new Map(books.flatMap((book) => book.anomalies))],
  ];
}

interface Books {
  readonly ledger: readonly Entry[];
  readonly outbox: readonly Entry[];
  readonly anomalies: readonly Entry[];
}

function booksOf(id: string, history: History): Books {
  const paid = eventsShowing(history, 'paid')[0]?.invoice;
  if (!paid) return { ledger: [], outbox: [], anomalies: [] };
  const row = rowMaker(id, history, paid);
  const payment = row.entry('payment', paid.amountPaid, 'paid');
  const notice = row.message('invoice.paid', 'paid');
  if (eventsShowing(history, 'void').length === 0) return { ledger: [payment], outbox: [notice], anomalies: [] };
  const together = (entries: readonly Entry[]): readonly Entry[] =>
    entries.map(([key, wanted]) => [key, { ...wanted, allOrNone: id }]);
  return {
    ledger: together([payment, row.entry('payment_reversal', -paid.amountPaid, 'void')]),
    outbox: together([notice, row.message('invoice.payment_reversed', 'void')]),
    anomalies: [row.paymentOnVoid()],
  };
}

function rowMaker(id: string, history: History, paid: Invoice) {
  const eventIds = (status: InvoiceStatus): readonly string[] =>
    eventsShowing(history, status).map((event) => event.id);
  const amount = String(paid.amountPaid);
  const { currency, customer, subscription } = paid;
  const aggregate = `stripe:invoice:${id}`;
  return {
    entry: (kind: string, booked: bigint, status: InvoiceStatus): Entry => [
      `${id} ${kind}`,
      { cells: { amount: String(booked), currency, event_id: eventIds(status) } },
    ],
    message: (topic: string, status: InvoiceStatus): Entry => [
      `${aggregate} ${topic}`,
      {
        cells: {
          payload: canonicalJson({ invoice: id, account: null, customer, subscription, amount, currency }),
          event_id: eventIds(status),
        },
      },
    ],
    paymentOnVoid: (): Entry => [
      `${aggregate} payment_on_void_invoice`,
      {
        cells: {
          detail: eventIds('paid').flatMap((payment_event) =>
            eventIds('void').map((void_event) => canonicalJson({ payment_event, void_event, amount, currency })),
          ),
        },
      },
    ],
  };
}
