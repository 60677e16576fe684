import type { X509Certificate } from 'node:crypto';
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
  /** The bytes of an HMAC key in place of what a scheme makes of `value`. Only the diagnosis of a rejection sets it. */
  readonly key?: Buffer;
}

export interface VerifyOptions {
  /** Wall clock at receipt, Unix milliseconds. */
  readonly nowMs: number;
  /** How far a signed timestamp may lie in the past or in the future, milliseconds. */
  readonly toleranceMs: number;
  /** For schemes that verify under a certificate; without it their deliveries are `unavailable`. */
  readonly certificates?: CertificateSource;
}

/** Where certificates come from. Given by the process, for providers have no network. */
export interface CertificateSource {
  /** The bytes at a URL that the scheme allows. Follows no redirect, is bounded, and rejects where they are out of reach. */
  readonly fetch: (url: string) => Promise<Buffer>;
  /** What a chain may end in. */
  readonly roots: readonly X509Certificate[];
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
  /** Where only the time is wrong: how long ago it was signed, milliseconds, negative in the future. */
  readonly skewMs?: number;
}

export type Verification =
  | { readonly outcome: 'verified'; readonly secretLabel: string }
  | Rejection
  /** Nobody can say yet: what it takes to verify (a certificate) is out of reach. Answered 503, so it comes again. */
  | { readonly outcome: 'unavailable'; readonly detail: string };

/** What reading needs beside the request; all of it given, so that reading stays a pure function. */
export interface ReadContext {
  /** Fresh for every delivery: names a signal, whose equal bytes can mean a new fact. */
  readonly deliveryId: string;
  /** The secret that verified the delivery, for a handshake that answers with it; null where bytes are read again later. */
  readonly secret: Secret | null;
}

/** One event of a delivery, named. Every text is 1 to 255 characters, well formed and free of U+0000. */
export interface NamedEvent {
  /** Unique within an endpoint. Of a signal `signal:<deliveryId>`, of a batch's signal with its place after it. */
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
  /**
   * SHA-256 of the signed bytes, hex, where `eventId` comes from a header that no signature covers: such an id is a claim,
   * and a captured body can be sent again under a fresh one. Left out where the id is signed.
   */
  readonly bodyHash?: string;
  /** Why this item of a batch cannot be read, for a person, quoting nothing; it is kept and quarantined. */
  readonly unreadable?: string;
}

/** What a provider wants to hear. `contentType` goes with a body. */
export interface ProviderAnswer {
  readonly status: number;
  readonly body?: string;
  readonly contentType?: string;
}

export type Reading =
  /** At least one, each with an id of its own. */
  | { readonly outcome: 'events'; readonly events: readonly NamedEvent[] }
  /** Verified but unreadable: kept and quarantined under `event`, `reason` says why for a person and quotes nothing. */
  | { readonly outcome: 'unreadable'; readonly reason: string; readonly event: NamedEvent }
  /** A ping, a challenge, an empty batch: answered, not stored. `name` is a bounded word for the log. */
  | { readonly outcome: 'handshake'; readonly name: string; readonly answer: ProviderAnswer };

/** How the deliveries of one configured endpoint are verified, read and answered. Pure functions over bytes. */
export interface Scheme {
  /**
   * Tries every secret in constant time over the exact bytes. Never throws on outside input. A promise only where something
   * must be fetched first.
   */
  readonly verify: (
    request: RawRequest,
    secrets: readonly Secret[],
    options: VerifyOptions,
  ) => Verification | Promise<Verification>;
  /** Splits a verified delivery and names its events. Never throws on outside input. Reads only the headers it declares. */
  readonly read: (request: RawRequest, context: ReadContext) => Reading;
  /** Lower-case names of the headers that `read` looks at. They are stored, so that a delivery can be read again later. */
  readonly readsHeaders: readonly string[];
  /** The answer to a stored delivery where it is not 200 with an empty body. */
  readonly accepted?: ProviderAnswer;
  /**
   * What is wrong with the form of a configured secret, in words that never repeat it; null when nothing is. A check for
   * the start of a process: `verify` takes whatever secret it is given.
   */
  readonly secretProblem: (value: string) => string | null;
  /**
   * The delivery as the provider itself would send it, for `npm run send` and tests: content type included, and the body as
   * it was given unless the signature goes into it. Null: the scheme has no signature for such a body.
   */
  readonly sign: (body: Buffer, secret: string, nowMs: number) => SignedDelivery | null;
}

export interface SignedDelivery {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** The `options` of an endpoint, as the endpoints file has them. Never a secret. */
export type EndpointOptions = Readonly<Record<string, unknown>>;

/** What is wrong with one option. Quotes nothing: the caller shows what is there as far as it may be shown. */
export interface OptionProblem {
  /** The keys that lead to it. */
  readonly path: readonly (string | number)[];
  /** What would be right. */
  readonly right: string;
}

export type Configured =
  | { readonly outcome: 'configured'; readonly scheme: Scheme }
  | { readonly outcome: 'invalid'; readonly problems: readonly OptionProblem[] };

/** A provider: what it is called, what is known of it, and how its deliveries are read. */
export interface Provider {
  /** The URL segment, the folder name and the `provider` column: lower-case letters, digits, dashes. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  readonly facts: ProviderFacts;
  /** Judges the `options` of an endpoint, all of them at once, and makes its scheme. `{}` where the file has none. */
  readonly configure: (options: EndpointOptions) => Configured;
  /** Bodies for `npm run send` and the contract tests, by the name a person types. */
  readonly samples: Readonly<Record<string, Sample>>;
  /** An endpoint's options and two secrets of the right form, for the documentation and the contract tests. */
  readonly example: { readonly options: EndpointOptions; readonly secrets: readonly [string, string] };
}

/** What is known of a provider, from its documentation: for docs/providers.md and for the checks of `mailroom doctor`. */
export interface ProviderFacts {
  /** From the first attempt to the last automatic one; null: not known, or the sender's own choice; 0: it never retries. */
  readonly retryWindowMs: number | null;
  /** How old an event may be that the provider still sends again when somebody asks for it; null: not known. */
  readonly replayWindowMs: number | null;
  /** Within this long it must have its answer; null: not documented. */
  readonly answerLimitMs: number | null;
  /** Null: one event a delivery. `limit` is the most items, null where it is not documented. */
  readonly batch: { readonly limit: number | null; readonly itemBytes: number } | null;
  /** What is signed and how, in words. */
  readonly signature: string;
  /** Whether a captured request is worthless after the tolerance. */
  readonly signsTime: boolean;
  /** How each is found, in words; where there is none, what stands in. */
  readonly eventId: string;
  readonly eventType: string;
  readonly objectKey: string;
  readonly providerTime: string;
  /** What it takes for success, in words. */
  readonly success: string;
  /** Pings and challenges, in words; null: none. */
  readonly handshake: string | null;
  /** What is configured as the secret, in words. */
  readonly secret: string;
  /** The options of an endpoint by name, in words; left out where there are none. */
  readonly options?: Readonly<Record<string, string>>;
  /** Where this is documented. */
  readonly sources: readonly string[];
}

/** One kind of sample event. */
export interface Sample {
  readonly eventType: string;
  /** Equal values give the same event; the samples of one tag tell one story about the same objects. */
  readonly body: (values: SampleValues) => JsonValue;
  /** The unsigned headers that come with it, where the provider tells type or id there. */
  readonly headers?: (values: SampleValues) => Readonly<Record<string, string>>;
}

export interface SampleValues {
  /** Letters and digits; becomes part of every id. */
  readonly tag: string;
  /** Unix milliseconds, the sample's own time. */
  readonly nowMs: number;
}
