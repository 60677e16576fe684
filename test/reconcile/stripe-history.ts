import { findProvider } from '@mailroom/providers';
import { hourMs } from '../support/stripe-fake/fake-clock.ts';
import type { StripeObject } from '../support/stripe-fake/resources.ts';
import type { StripeFake } from '../support/stripe-fake/start-stripe-fake.ts';

export interface Happened {
  /** Emitted events, in order; `lost`: nobody was told. */
  readonly events: readonly { readonly event: StripeObject; readonly account: string | null; readonly lost: boolean }[];
}

const stages = ['invoice.created', 'invoice.finalized', 'invoice.paid'];

/**
 * Lets so many hours pass on the fake's clock. In each, an invoice of the platform and one of `acct_shop` are made, finalized and
 * paid. In the hours of `outage` every webhook is lost, and never tried again; Stripe still lists what happened.
 */
export async function letHoursPass(fake: StripeFake, hours: number, outage: readonly number[]): Promise<Happened> {
  const events: { event: StripeObject; account: string | null; lost: boolean }[] = [];
  for (let hour = 0; hour < hours; hour += 1) {
    const lost = outage.includes(hour);
    fake.sender.drop(lost);
    for (const account of [null, 'acct_shop']) {
      for (const stage of stages) {
        const object = invoiceAt(stage, `${account ?? 'own'}${hour}`, fake.clock.now());
        const data = fake.account(account ?? undefined);
        data.put('invoices', object);
        events.push({ event: data.emit(stage, object), account, lost });
      }
    }
    await fake.sender.idle();
    await fake.clock.advance(hourMs);
  }
  fake.sender.drop(false);
  return { events };
}

/** The sample invoice as it is after an event. */
export function invoiceAt(stage: string, tag: string, nowMs: number): Readonly<Record<string, unknown>> {
  const sample = findProvider('stripe')?.samples[stage];
  if (!sample) throw new Error(`there is no sample ${stage}`);
  const { data } = sample.body({ tag, nowMs }) as { data: { object: Record<string, unknown> } };
  return data.object;
}
