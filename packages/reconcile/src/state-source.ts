import type { Database } from '@mailroom/db';
import type { Scheme } from '@mailroom/providers';
import type { FetchedEvent } from './event-source.ts';

/** What a comparison can find. */
export type DriftKind = 'missing' | 'status_differs' | 'amount_differs' | 'paid_on_void';

/** One way in which an object differs from what our tables show. */
export interface Drift {
  readonly kind: DriftKind;
  readonly objectKey: string;
  /** For a person: statuses and amounts only. Null: nothing. */
  readonly ours: string | null;
  readonly theirs: string;
  /** The object as an event that would make ours right, its id made of the object alone. */
  readonly repair: FetchedEvent;
}

/** A page of objects of the provider, compared. */
export interface ComparedPage {
  /** All that were looked at, as `object_key` has them. */
  readonly objectKeys: readonly string[];
  readonly drifts: readonly Drift[];
}

/** Objects of a provider that our tables hold copies of. One source is one list of one account. */
export interface StateSource {
  readonly provider: string;
  readonly endpoint: string;
  /** Null: the endpoint's own. */
  readonly account: string | null;
  /** Its name for people: `invoices`. */
  readonly objects: string;
  /** Reads the repairs. */
  readonly scheme: Scheme;
  /** Compares what was made (Stripe) or has changed (Shopify) since then. Reads only. */
  compare(database: Database, since: Date): AsyncIterable<ComparedPage>;
}
