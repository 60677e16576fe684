import type { JsonValue } from '@mailroom/kernel';

/** Header values by lower-case name, every line of a repeated header kept apart and in order. */
export type RequestHeaders = ReadonlyMap<string, readonly string[]>;

/** A request as it came off the wire: the exact body bytes, never decoded or re-serialised. */
export interface RawRequest {
  readonly body: Buffer;
  readonly headers: RequestHeaders;
}

/** One configured secret. `label` may be shown and stored; `value` never. */
export interface Secret {
  readonly label: string;
  readonly value: string;
}

export interface VerifyOptions {
  /** Wall clock at receipt, Unix milliseconds. */
  readonly nowMs: number;
  /** How far a signed timestamp may lie in the past or in the future, milliseconds. */
  readonly toleranceMs: number;
}

/** Why a delivery was not verified. Bounded, so it can be a metric label; the detail never holds a secret or a signature. */
export type RejectionReason =
  | 'signature_missing'
  | 'signature_malformed'
  | 'signature_mismatch'
  | 'timestamp_stale'
  | 'timestamp_future';

export interface Rejection {
  readonly outcome: 'rejected';
  readonly reason: RejectionReason;
  readonly detail: string;
}

export type Verification = { readonly outcome: 'verified'; readonly secretLabel: string } | Rejection;

/** One event of a delivery, named. Every text is 1 to 255 characters, well formed and free of U+0000. */
export interface NamedEvent {
  readonly eventId: string;
  readonly eventType: string;
  /** What the event is about, unique across the accounts of an endpoint, or null. Events of one object share it. */
  readonly objectKey: string | null;
  /** The provider's own time of the event; orders nothing by itself. */
  readonly providerTime: Date | null;
  readonly apiVersion: string | null;
  readonly account: string | null;
  readonly livemode: boolean | null;
  /** Where in the delivery's JSON the event stands, for one item of a batch; null: the whole body. */
  readonly itemPath: readonly string[] | null;
}

export type Reading =
  | { readonly outcome: 'events'; readonly events: readonly NamedEvent[] }
  /** Verified but unreadable: kept and quarantined under `event`, `reason` says why for a person and quotes nothing. */
  | { readonly outcome: 'unreadable'; readonly reason: string; readonly event: NamedEvent };

/**
 * A provider: pure functions over bytes. It sees no database, no clock and no network.
 */
export interface Provider {
  /** The URL segment, the folder name and the `provider` column: lower-case letters, digits, dashes. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Tries every secret in constant time over the exact bytes. Never throws on outside input. */
  readonly verify: (request: RawRequest, secrets: readonly Secret[], options: VerifyOptions) => Verification;
  /** Splits a verified delivery and names its events. Never throws on outside input. */
  readonly read: (request: RawRequest) => Reading;
  /**
   * What is wrong with the form of a configured secret, in words that never repeat it; null when nothing is. A check for
   * the start of a process: `verify` takes whatever secret it is given.
   */
  readonly secretProblem: (value: string) => string | null;
  /** The headers the provider itself would send with `body`, content type included. For `npm run send` and tests. */
  readonly sign: (body: Buffer, secret: string, nowMs: number) => Readonly<Record<string, string>>;
  /** Bodies for `npm run send` and the contract tests, by the name a person types. */
  readonly samples: Readonly<Record<string, Sample>>;
}

/** One kind of sample event. */
export interface Sample {
  readonly eventType: string;
  /** Equal values give the same event; the samples of one tag tell one story about the same objects. */
  readonly body: (values: SampleValues) => JsonValue;
}

export interface SampleValues {
  /** Letters and digits; becomes part of every id. */
  readonly tag: string;
  /** Unix milliseconds, the sample's own time. */
  readonly nowMs: number;
}
