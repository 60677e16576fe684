import { createHash } from 'node:crypto';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Fate, InvoiceStatus, PostedEvent, ShownInvoice } from './checker/posted-event.ts';

/** An event that may be posted, before anything is known of its posts. */
export type PlannedEvent = Omit<PostedEvent, 'posts' | 'acknowledged'>;

export interface Stories {
  /** The next few events; those of one invoice in the order in which they happened. */
  next(): readonly PlannedEvent[];
  /** One event of its own that must be processed. */
  probe(): PlannedEvent;
  /** What never succeeds: a handler that throws every time, a payload that does not fit, a type nobody handles, half of a body. */
  poison(): readonly PlannedEvent[];
  /** Invoices that many events are about, so that handlers meet on their rows. */
  readonly hotInvoices: readonly string[];
}

const statusOfType: Readonly<Record<string, InvoiceStatus>> = {
  'invoice.created': 'draft',
  'invoice.finalized': 'open',
  'invoice.payment_failed': 'open',
  'invoice.paid': 'paid',
  'invoice.voided': 'void',
};

const hotCount = 12;
const firstSecond = 1_790_000_000;

/** Invoices without end, the same for the same seed: plain ones, twins, paid and void at once, failed payments, and hot ones. */
export function createStories(run: string, random: SeededRandom): Stories {
  let events = 0;
  let invoices = 0;
  const hotInvoices = Array.from({ length: hotCount }, (_, n) => `in_${run}_hot${n}`);
  const hotFailures = new Map<string, number>();
  return { next, probe, poison, hotInvoices };

  function next(): readonly PlannedEvent[] {
    const draw = random.fraction();
    if (draw < 0.08) return [hotEvent()];
    const id = freshInvoice();
    const amount = 100 + Math.floor(random.fraction() * 100_000);
    const begun = [event('invoice.created', id, amount), event('invoice.finalized', id, amount)];
    if (draw < 0.6) return [...begun, event('invoice.paid', id, amount)];
    // One payment that the provider tells twice, under two ids.
    if (draw < 0.75) return [event('invoice.paid', id, amount), event('invoice.paid', id, amount)];
    if (draw < 0.85) return [event('invoice.paid', id, amount), event('invoice.voided', id, amount)];
    const failures = [1, 2, 3].map((attempt) => event('invoice.payment_failed', id, amount, { attemptCount: attempt }));
    return [...begun, ...failures];
  }

  function probe(): PlannedEvent {
    return event('invoice.paid', freshInvoice(), 1);
  }

  function poison(): readonly PlannedEvent[] {
    return [
      event('invoice.paid', freshInvoice(), 1, { currency: 'euro' }, 'throws'),
      event('invoice.finalized', freshInvoice(), 1, { status: 'paid', amountPaid: -1 }, 'refused'),
      { ...event('invoice.created', freshInvoice(), 1, {}, 'unknown'), type: 'tax.settings.updated' },
      halfOfAnEvent(),
    ];
  }

  function halfOfAnEvent(): PlannedEvent {
    const { created, id } = event('unreadable', freshInvoice(), 1);
    const raw = `{"id":"${id}","object":"ev`;
    const hash = createHash('sha256').update(raw).digest('hex');
    return { id: `sha256:${hash}`, type: 'unreadable', created, fate: 'unreadable', invoice: null, raw };
  }

  function hotEvent(): PlannedEvent {
    const id = hotInvoices[Math.floor(random.fraction() * hotCount)] ?? '';
    if (random.fraction() < 0.5) return event('invoice.finalized', id, 5_000);
    const attemptCount = (hotFailures.get(id) ?? 0) + 1;
    hotFailures.set(id, attemptCount);
    return event('invoice.payment_failed', id, 5_000, { attemptCount });
  }

  function freshInvoice(): string {
    invoices += 1;
    return `in_${run}_${invoices}`;
  }

  function event(
    type: string,
    id: string,
    amountDue: number,
    differing: Partial<ShownInvoice> = {},
    fate: Fate = 'applies',
  ): PlannedEvent {
    events += 1;
    const amountPaid = type === 'invoice.paid' ? amountDue : 0;
    const status = statusOfType[type] ?? 'draft';
    const invoice = { id, status, currency: 'eur', amountDue, amountPaid, attemptCount: 0, ...differing };
    return { id: `evt_${run}_${events}`, type, created: firstSecond + Math.floor(events / 20), fate, invoice };
  }
}
