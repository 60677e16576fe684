import type { HmacAlgorithm } from '../match-hmac.ts';

/**
 * A webhook scheme as data: how an HMAC over the raw body is found and checked, and where an event says what it is. Most
 * providers are one of these; `generic-hmac` takes one from the endpoints file.
 *
 * A *template* is text with placeholders in braces. In `signature.content` they are `{body}`, `{timestamp}`, `{id}` and
 * `{url}`. Everywhere else they are paths into the JSON (`{data.object.id}`, `{items.0.id}`) or a header
 * (`{header:x-event-name}`). Where several templates are given, the first counts of which every placeholder is there.
 */
export interface HmacDefinition extends HmacSignature {
  /** Where the array of events stands in the JSON, for a provider that sends several at once: `events`, `data.items`. */
  readonly batch?: string | undefined;
  /** With a batch, its paths start at the item. */
  readonly event: EventDefinition;
  readonly handshakes?: readonly HandshakeDefinition[] | undefined;
  /**
   * What the body of each type must carry, where the type comes from a header that nobody signs: else a captured body could
   * be sent again as another type. A path by event type; the types that are not here prove nothing.
   */
  readonly proof?: { readonly type: Template; readonly paths: Readonly<Record<string, string>> } | undefined;
}

/** The half of it that proves a delivery, for a provider whose events take code to read. */
export interface HmacSignature {
  readonly signature: SignatureDefinition;
  /** How a configured secret becomes the key; the text itself where it is left out. */
  readonly secret?: SecretDefinition | undefined;
  /** The signed time; without it a captured delivery can be sent again at any time. */
  readonly timestamp?: TimestampDefinition | undefined;
  /** The header whose text stands for `{id}` in the signed content. */
  readonly idHeader?: string | undefined;
  /** What stands for `{url}`: the URL as it is configured at the provider. Never rebuilt from what a request says. */
  readonly url?: string | undefined;
}

export interface SignatureDefinition {
  /** Lower case. Every line of it counts: a provider may send one a secret, a proxy may double them. */
  readonly header: string;
  readonly algorithm: HmacAlgorithm;
  readonly encoding: 'hex' | 'base64';
  /** What is signed. Holds `{body}`. */
  readonly content: Template;
  /** What stands before a signature (`sha256=`, `v1=`). What has another tag is not looked at: that would be a downgrade. */
  readonly tag?: string | undefined;
  /** Between the entries of one line, for a header that holds several. */
  readonly separator?: string | undefined;
}

export interface SecretDefinition {
  readonly encoding: 'text' | 'hex' | 'base64';
  /** Taken off before decoding. */
  readonly prefix?: string | undefined;
}

/** Where the signed time stands: in a header of its own, or as an entry of the signature header with its own tag. */
export interface TimestampDefinition {
  readonly header?: string | undefined;
  readonly tag?: string | undefined;
  readonly unit: 's' | 'ms';
}

export interface EventDefinition {
  /** Left out, or not in an event: the hash of the signed bytes. */
  readonly id?: Templates | undefined;
  /** Every delivery is an event of its own: equal bytes can mean a new fact, and `id` is not asked. */
  readonly signal?: boolean | undefined;
  readonly type: Templates;
  /** What the event is about. Events with the same are kept in order. */
  readonly object?: Templates | TemplatesByCase | undefined;
  /** RFC 3339, or Unix seconds or milliseconds, told apart by their size. */
  readonly time?: Templates | undefined;
  readonly apiVersion?: Templates | undefined;
  readonly account?: Templates | undefined;
  /** Gives `true` or `false`. */
  readonly livemode?: Templates | undefined;
  /** The opposite, for those who say that something is a test. */
  readonly testmode?: Templates | undefined;
}

/** A delivery that is no event but a question. */
export interface HandshakeDefinition {
  /** For the log: `ping`, `url_verification`. */
  readonly name: string;
  /** Templates and what each must give. */
  readonly when: Readonly<Record<Template, string>>;
  /** The template of the answer's body; left out, the answer is empty. */
  readonly echo?: Template | undefined;
  /**
   * The template of a text to prove the secret with: the answer is JSON with the text as `plainToken` and its HMAC in hex as
   * `encryptedToken` (Zoom).
   */
  readonly prove?: Template | undefined;
}

/** Templates that depend on what another one gives; none where `of` has no such case. */
export interface TemplatesByCase {
  readonly by: Template;
  readonly of: Readonly<Record<string, Templates>>;
}

export type Template = string;
export type Templates = Template | readonly Template[];
