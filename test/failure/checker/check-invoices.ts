import type { Difference } from './difference.ts';
import type { CountedRow, EntryRow, FoundRows, InvoiceRow } from './found-rows.ts';
import { type InvoiceEnd, type InvoiceEvent, invoiceEnds, type Payment } from './model.ts';
import type { PostedEvent } from './posted-event.ts';

/** The business tables hold what the events in the ledger come to: every invoice's state, its bookings, messages and anomalies. */
export function checkInvoices(posted: ReadonlyMap<string, PostedEvent>, found: FoundRows): readonly Difference[] {
  const stored = found.inbox.flatMap(({ event_id }) => posted.get(event_id) ?? []);
  const ends = invoiceEnds(stored.filter(showsInvoice));
  const invoices = Map.groupBy(found.invoices, ({ invoice_id }) => invoice_id);
  const entries = Map.groupBy(found.entries, ({ invoice_id }) => invoice_id);
  const messages = countsOf(found.messages);
  const anomalies = countsOf(found.anomalies);
  const differences = [...ends].flatMap(([id, end]) => [
    ...checkState(id, end, invoices.get(id) ?? []),
    ...checkBooks(id, end.payment, entries.get(id) ?? [], messages),
    ...checkAnomaly(id, end.payment, anomalies),
  ]);
  return [
    ...differences,
    ...strangers([...invoices.keys()], (id) => ends.has(id), 'an invoice'),
    ...strangers([...entries.keys()], (id) => ends.has(id), 'a booking'),
    ...strangers([...messages.keys()], (key) => ends.has(invoiceOf(key)), 'a message'),
    ...strangers([...anomalies.keys()], (key) => ends.has(invoiceOf(key)), 'an anomaly'),
  ];
}

function showsInvoice(event: PostedEvent): event is InvoiceEvent {
  return event.fate === 'applies' && event.invoice !== null;
}

function checkState(id: string, end: InvoiceEnd, rows: readonly InvoiceRow[]): readonly Difference[] {
  const [row, ...more] = rows;
  if (!row) return [{ kind: 'lost', key: id, detail: `no invoice; shown by ${end.shownBy}` }];
  if (more.length > 0) return [{ kind: 'doubled', key: id, detail: `${rows.length} invoices` }];
  const pairs: readonly (readonly [name: string, found: string | null, wanted: string])[] = [
    ['status', row.status, end.status],
    ['currency', row.currency, end.currency],
    ['amount due', row.amount_due, String(end.amountDue)],
    ['amount paid', row.amount_paid, String(end.amountPaid)],
    ['shown by', row.snapshot_event_id, end.shownBy],
    ['failed payments', String(row.failed_payments), String(end.failedPayments)],
  ];
  return pairs
    .filter(([, has, wanted]) => has !== wanted)
    .map(([name, has, wanted]) => ({ kind: 'wrong state', key: id, detail: `${name} is ${has}, must be ${wanted}` }));
}

/** Bookings and the messages that announce them come in pairs. */
function checkBooks(
  id: string,
  payment: Payment | null,
  entries: readonly EntryRow[],
  messages: ReadonlyMap<string, number>,
): readonly Difference[] {
  const paid = entries.filter(({ kind }) => kind === 'payment');
  const reversed = entries.filter(({ kind }) => kind === 'payment_reversal');
  const voided = payment !== null && payment.voidedBy.size > 0;
  const wantedPaid = payment === null ? 0 : voided ? paid.length && 1 : 1;
  const wantedReversed = voided ? wantedPaid : 0;
  const told = (topic: string): number => messages.get(`stripe:invoice:${id} ${topic}`) ?? 0;
  return [
    ...counted(id, 'payments booked', paid.length, wantedPaid),
    ...counted(id, 'reversals booked', reversed.length, wantedReversed),
    ...counted(id, 'messages invoice.paid', told('invoice.paid'), wantedPaid),
    ...counted(id, 'messages invoice.payment_reversed', told('invoice.payment_reversed'), wantedReversed),
    ...(payment === null ? [] : paid.flatMap((entry) => checkEntry(entry, payment.amount, payment, payment.paidBy))),
    ...(payment === null
      ? []
      : reversed.flatMap((entry) => checkEntry(entry, -payment.amount, payment, payment.voidedBy))),
  ];
}

function checkEntry(
  entry: EntryRow,
  amount: number,
  { currency }: Payment,
  by: ReadonlySet<string>,
): readonly Difference[] {
  const right = entry.amount === String(amount) && entry.currency === currency && by.has(entry.event_id);
  const detail = `${entry.kind} of ${entry.amount} ${entry.currency} by ${entry.event_id}, must be ${amount} ${currency}`;
  return right ? [] : [{ kind: 'wrong state', key: entry.invoice_id, detail }];
}

function checkAnomaly(
  id: string,
  payment: Payment | null,
  anomalies: ReadonlyMap<string, number>,
): readonly Difference[] {
  const wanted = payment !== null && payment.voidedBy.size > 0 ? 1 : 0;
  return counted(id, 'anomalies', anomalies.get(`stripe:invoice:${id} payment_on_void_invoice`) ?? 0, wanted);
}

function counted(key: string, what: string, found: number, wanted: number): readonly Difference[] {
  if (found === wanted) return [];
  return [{ kind: found < wanted ? 'lost' : 'doubled', key, detail: `${found} ${what}, must be ${wanted}` }];
}

function strangers(keys: readonly string[], known: (key: string) => boolean, what: string): readonly Difference[] {
  return keys.filter((key) => !known(key)).map((key) => ({ kind: 'unexpected', key, detail: what }));
}

function countsOf(rows: readonly CountedRow[]): ReadonlyMap<string, number> {
  return new Map(rows.map(({ key, count }) => [key, count]));
}

/** Of `stripe:invoice:<id> <topic or kind>`. */
function invoiceOf(key: string): string {
  return key.split(' ')[0]?.split(':')[2] ?? key;
}
