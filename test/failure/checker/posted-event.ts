export type InvoiceStatus = 'draft' | 'open' | 'uncollectible' | 'paid' | 'void';

/** What an event says about an invoice. Amounts are in the smallest unit. */
export interface ShownInvoice {
  readonly id: string;
  readonly status: InvoiceStatus;
  readonly currency: string;
  readonly amountDue: number;
  readonly amountPaid: number;
  /** Payment attempts so far. */
  readonly attemptCount: number;
}

/**
 * What must become of an event:
 * - `applies`: it is processed, and its effect is there once;
 * - `throws`: its handler fails every time, so it ends exhausted, with no effect;
 * - `refused`: its payload cannot be read, so it ends rejected, with no effect;
 * - `unknown`: nobody handles its type, so it stays parked;
 * - `unreadable`: it is signed and is no event, so it stays quarantined under the hash of its bytes.
 */
export type Fate = 'applies' | 'throws' | 'refused' | 'unknown' | 'unreadable';

/** An event that was posted at least once. */
export interface PostedEvent {
  readonly id: string;
  readonly type: string;
  /** Unix seconds. */
  readonly created: number;
  readonly fate: Fate;
  /** null where the event is about no invoice. */
  readonly invoice: ShownInvoice | null;
  /** Its bytes, where they are not those of an event. */
  readonly raw?: string;
  /** How often it was posted; each post may have been stored, whatever came back. */
  readonly posts: number;
  /** How often a whole answer of 2xx came back. 0: it may be there or not, but then whole. */
  readonly acknowledged: number;
}
