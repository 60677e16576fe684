import { good, type Lane, refused, type Scenario, type Signing } from './storm-delivery.ts';
import { type Invoice, type InvoiceEventType, invoiceAt, type StripeEvent } from './stripe-events.ts';

/** What is sent: every way in which webhooks are known to arrive, each several times. About 640 deliveries. */
export function planStorm(run: string, nowMs: number): readonly Scenario[] {
  const make = createMaker(run, nowMs);
  return [
    scenario('in order', 30, () => {
      const about = make.invoice();
      return [[good(about('invoice.created'))], [good(about('invoice.finalized'))], [good(about('invoice.paid'))]];
    }),
    scenario('paid before created', 30, () => {
      const about = make.invoice({ shape: 'before-basil' });
      return [[good(about('invoice.paid'))], [good(about('invoice.created'))], [good(about('invoice.finalized'))]];
    }),
    scenario('eight times at once', 20, () => {
      const about = make.invoice();
      const paid = good(about('invoice.paid'));
      return [[good(about('invoice.created'))], Array.from({ length: 8 }, () => paid)];
    }),
    scenario('again and again', 15, () => {
      const paid = good(make.invoice()('invoice.paid'));
      return [[paid], [paid], [paid]];
    }),
    scenario('one payment, two events', 20, () => {
      const about = make.invoice();
      return [[good(about('invoice.paid')), good(about('invoice.paid'))]];
    }),
    scenario('paid after void', 10, () => {
      const about = make.invoice();
      return [[good(about('invoice.created'))], [good(about('invoice.voided'))], [good(about('invoice.paid'))]];
    }),
    scenario('void after paid', 10, () => {
      const about = make.invoice();
      return [[good(about('invoice.created'))], [good(about('invoice.paid'))], [good(about('invoice.voided'))]];
    }),
    scenario('void and paid at once', 5, () => {
      const about = make.invoice();
      return [[good(about('invoice.voided')), good(about('invoice.paid'))]];
    }),
    scenario('paid at the third try', 10, () => {
      const about = make.invoice();
      const failed = (attemptCount: number) => good(about('invoice.payment_failed', { attemptCount }));
      const paid = good(about('invoice.paid', { attemptCount: 3 }));
      return [[good(about('invoice.finalized'))], [failed(1)], [failed(2)], [paid]];
    }),
    scenario('beyond 2^53', 2, () => {
      const about = make.invoice({ amountDue: 9_007_199_254_740_993n, amountPaid: 9_007_199_254_740_993n });
      return [[good(about('invoice.paid'))]];
    }),
    scenario('handler always throws', 3, () => {
      // The ledger takes three-letter currencies only, so the database refuses this one at every attempt.
      const poison = good(make.invoice({ currency: 'euro' })('invoice.paid'));
      return [[poison, poison]];
    }),
    scenario('unknown type', 10, () => {
      const unknown = good(make.unknown());
      return [[unknown], [unknown]];
    }),
    ...refusals.map(([name, signing, count]) =>
      scenario(name, count, () => [[refused(make.invoice()('invoice.paid'), signing)]]),
    ),
    scenario('forged, then genuine', 5, () => {
      const paid = make.invoice()('invoice.paid');
      return [[refused(paid, 'wrong-secret')], [good(paid)]];
    }),
  ];
}

const refusals: readonly (readonly [string, Exclude<Signing, 'right'>, number])[] = [
  ['wrong secret', 'wrong-secret', 10],
  ['no signature', 'no-header', 5],
  ['malformed signature', 'malformed', 5],
  ['an hour old', 'stale', 10],
  ['from the future', 'future', 5],
  ['re-serialised body', 'over-other-bytes', 10],
];

function scenario(name: string, count: number, lane: () => Lane): Scenario {
  return { name, lanes: Array.from({ length: count }, lane) };
}

/** Makes events whose ids nobody has used before: all of them begin with the run's name. */
function createMaker(run: string, nowMs: number) {
  let made = 0;
  const next = (prefix: string): string => `${prefix}_${run}_${(made += 1)}`;
  const created = Math.floor(nowMs / 1000);
  return {
    invoice(given: Partial<Invoice> = {}): (type: InvoiceEventType, now?: Partial<Invoice>) => StripeEvent {
      const id = next('in');
      const always = { amountDue: BigInt(1000 + made), ...given, id };
      return (type, now) => ({ id: next('evt'), type, created, invoice: invoiceAt(type, { ...always, ...now }) });
    },
    unknown: (): StripeEvent => ({ id: next('evt'), type: 'tax.settings.updated', created, invoice: null }),
  };
}
