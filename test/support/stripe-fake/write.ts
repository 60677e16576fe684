import type { FakeAccount } from './fake-account.ts';
import { resources, type StripeObject } from './resources.ts';
import { type Answer, noSuch, stripeError } from './stripe-error.ts';

export interface Write {
  readonly method: string;
  readonly resource: string;
  readonly id: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
}

/** Creates, changes or ends an object and makes the events that tell of it. An answer above 299: nothing happened. */
export function write(account: FakeAccount, call: Write): Answer {
  const { resource, id, fields, idempotencyKey } = call;
  const tell = (what: string, object: StripeObject) =>
    void account.emit(`${resources[resource]?.events ?? resources[resource]?.object}.${what}`, object, {
      idempotencyKey,
    });
  if (id === undefined) {
    if (resource === 'refunds') return refund(account, call);
    const created = account.put(resource, fields);
    tell('created', created);
    return { status: 200, body: created };
  }
  const known = account.get(resource, id);
  const ended = call.method === 'DELETE';
  if (!known || (ended && known['status'] === 'canceled')) return noSuch(resource, id);
  const metadata = { ...(known['metadata'] as object), ...(fields['metadata'] as object | undefined) };
  const changed = account.put(resource, { ...known, ...fields, metadata, ...(ended && { status: 'canceled' }) });
  tell(ended ? 'deleted' : 'updated', changed);
  return { status: 200, body: changed };
}

function refund(account: FakeAccount, { fields, idempotencyKey }: Write): Answer {
  const { charge: chargeId, payment_intent: intent } = fields;
  const charge = account
    .all('charges')
    .find(({ id, ...rest }) => id === chargeId || (intent !== undefined && rest['payment_intent'] === intent));
  if (!charge) return noSuch('charge', String(chargeId ?? intent), chargeId ? 'charge' : 'payment_intent');
  const refunded = Number(charge['amount_refunded'] ?? 0);
  const left = Number(charge['amount']) - refunded;
  const amount = Number(fields['amount'] ?? left);
  if (left === 0) return stripeError(400, { code: 'charge_already_refunded' });
  if (!(amount > 0 && amount <= left)) return stripeError(400, { param: 'amount', message: `at most ${left} is left` });
  const made = account.put('refunds', {
    payment_intent: charge['payment_intent'] ?? null,
    currency: charge['currency'] ?? 'eur',
    status: 'succeeded',
    ...fields,
    charge: charge.id,
    amount,
  });
  const total = { amount_refunded: refunded + amount, refunded: amount === left };
  account.emit('refund.created', made, { idempotencyKey });
  account.emit('charge.refunded', account.put('charges', { ...charge, ...total }), { idempotencyKey });
  return { status: 200, body: made };
}
