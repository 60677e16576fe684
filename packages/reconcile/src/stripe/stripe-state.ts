import { createHash } from 'node:crypto';
import type { Database } from '@mailroom/db';
import { type JsonObject, textAt } from '../api-client.ts';
import type { FetchedEvent } from '../event-source.ts';
import type { ComparedPage, Drift, StateSource } from '../state-source.ts';
import { jsonBytes } from '../write-json.ts';
import { apiVersion } from './stripe-api.ts';
import type { StripeEventsOptions } from './stripe-events.ts';

type Options = Omit<StripeEventsOptions, 'types'>;

/** Stripe's invoices beside the tables `invoices` and `ledger_entries`. */
export function stripeInvoices(options: Options): StateSource {
  return source(options, { objects: 'invoices', type: 'invoice', params: [], compareAll: compareInvoices });
}

/** Stripe's subscriptions, ended ones too, beside the table `subscriptions`. */
export function stripeSubscriptions(options: Options): StateSource {
  const params = [['status', 'all']] as const;
  return source(options, { objects: 'subscriptions', type: 'subscription', params, compareAll: compareSubscriptions });
}

interface Kind {
  readonly objects: string;
  /** Stripe's word for one of them, in object keys. */
  readonly type: string;
  readonly params: readonly (readonly [string, string])[];
  readonly compareAll: (database: Database, objects: readonly JsonObject[]) => Promise<readonly Found[]>;
}

type Found = Omit<Drift, 'objectKey' | 'repair'> & { readonly object: JsonObject };

function source({ api, account, ...at }: Options, { objects, type, params, compareAll }: Kind): StateSource {
  return {
    ...at,
    account,
    objects,
    async *compare(database, since): AsyncIterable<ComparedPage> {
      const created = ['created[gte]', String(Math.floor(since.getTime() / 1000))] as const;
      for await (const page of api.list(objects, { account, params: [...params, created] })) {
        const keyOf = (object: JsonObject) => [account, type, textAt(object, 'id')].filter(Boolean).join('/');
        const found = await compareAll(database, page);
        const drifts = found.map(({ object, ...drift }) => ({
          ...drift,
          objectKey: keyOf(object),
          repair: refetched(type, object, account),
        }));
        yield { objectKeys: page.map(keyOf), drifts };
      }
    },
  };
}

async function compareInvoices({ pool }: Database, invoices: readonly JsonObject[]): Promise<readonly Found[]> {
  const { rows } = await pool.query<{
    id: string;
    status: string;
    due: string | null;
    paid: string | null;
    booked: string;
  }>(
    `select i.invoice_id as id, i.status, i.amount_due as due, i.amount_paid as paid,
       coalesce((select sum(amount) from ledger_entries l where l.invoice_id = i.invoice_id), 0)::text as booked
     from invoices i where i.invoice_id = any($1::text[])`,
    [invoices.map((invoice) => textAt(invoice, 'id'))],
  );
  const ours = new Map(rows.map((row) => [row.id, row]));
  return invoices.flatMap((object): readonly Found[] => {
    const status = textAt(object, 'status');
    const paid = textAt(object, 'amount_paid');
    const theirs = `${status}, due ${textAt(object, 'amount_due')}, paid ${paid}`;
    const own = ours.get(textAt(object, 'id'));
    if (!own) return [{ kind: 'missing', ours: null, theirs, object }];
    const shown = `${own.status}, due ${own.due ?? '?'}, paid ${own.paid ?? '?'}, booked ${own.booked}`;
    const drift = (kind: Drift['kind']): readonly Found[] => [{ kind, ours: shown, theirs, object }];
    // Money on an invoice that one of us calls void. Where both do and nothing is booked, the anomaly tells of it already.
    if (status === 'void' && (Number(own.booked) !== 0 || (Number(paid) > 0 && own.status !== 'void'))) {
      return drift('paid_on_void');
    }
    if (status === 'paid' && own.status === 'void') return drift('paid_on_void');
    if (own.status !== status) return drift('status_differs');
    const isUnbooked = status === 'paid' && own.booked !== paid;
    return differs(own.due, textAt(object, 'amount_due')) || differs(own.paid, paid) || isUnbooked
      ? drift('amount_differs')
      : [];
  });
}

/** Where both are known. */
function differs(one: string | null, other: string): boolean {
  return one !== null && other !== '' && one !== other;
}

async function compareSubscriptions(
  { pool }: Database,
  subscriptions: readonly JsonObject[],
): Promise<readonly Found[]> {
  const { rows } = await pool.query<{ id: string; status: string }>(
    'select subscription_id as id, status from subscriptions where subscription_id = any($1::text[])',
    [subscriptions.map((subscription) => textAt(subscription, 'id'))],
  );
  const ours = new Map(rows.map((row) => [row.id, row.status]));
  return subscriptions.flatMap((object): readonly Found[] => {
    const theirs = textAt(object, 'status');
    const own = ours.get(textAt(object, 'id')) ?? null;
    if (own === theirs) return [];
    return [{ kind: own === null ? 'missing' : 'status_differs', ours: own, theirs, object }];
  });
}

/** What `mailroom.refetched.<type>` handles. Named by the object's content, so the same repair is the same event. */
function refetched(type: string, object: JsonObject, account: string | null): FetchedEvent {
  const content = createHash('sha256').update(jsonBytes(object)).digest('hex').slice(0, 16);
  const event = {
    id: `refetch:${type}/${textAt(object, 'id')}@${content}`,
    object: 'event',
    type: `mailroom.refetched.${type}`,
    api_version: apiVersion,
    created: Math.floor(Date.now() / 1000),
    livemode: object['livemode'] ?? null,
    ...(account !== null && { account }),
    data: { object },
  };
  return { body: jsonBytes(event), headers: {} };
}
