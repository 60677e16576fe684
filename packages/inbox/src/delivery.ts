/** One verified delivery on its way into the inbox: the exact bytes of one POST, and the events in it. */
export interface Delivery {
  readonly provider: string;
  readonly endpoint: string;
  readonly body: Buffer;
  readonly contentType: string | null;
  /** An allow-list of the request's headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Label of the secret that matched. */
  readonly secretLabel: string | null;
  readonly origin: 'webhook' | 'reconcile' | 'reparse' | 'outbox';
  /** At least one. All are committed together, or none. */
  readonly events: readonly IncomingEvent[];
}

/** One event of a delivery, named by its provider. Texts are 1 to 255 characters, well formed, without U+0000. */
export interface IncomingEvent {
  readonly eventId: string;
  readonly eventType: string;
  readonly objectKey: string | null;
  readonly providerTime: Date | null;
  readonly apiVersion: string | null;
  readonly account: string | null;
  readonly livemode: boolean | null;
  /** Where in the delivery's JSON the event stands; null: the whole body. */
  readonly itemPath: readonly string[] | null;
  /** Why the event cannot be read; such an event is kept and quarantined. null: it can. */
  readonly quarantineReason: string | null;
  /** SHA-256 of the signed bytes, hex, where the id is a claim that no signature covers; left out everywhere else. */
  readonly bodyHash?: string;
}

/** What became of one delivery: how many of its events are new and how many were known. Both are durable. */
export interface Receipt {
  readonly stored: number;
  readonly duplicates: number;
}
