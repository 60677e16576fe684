import type { JsonValue } from '@mailroom/kernel';
import { type EndpointOptions, findProvider } from '@mailroom/providers';

/** What a provider would send: one body and its unsigned headers. The kit signs it. */
export interface SampleDelivery {
  /** For messages: `invoice.paid`. */
  readonly name: string;
  /** The provider in the URL, in every key and in the handlers. */
  readonly provider: string;
  readonly body: Buffer;
  /** Without the signature; lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whose scheme a sender without code has, and with which options. Left out: the provider's own, as in its example. */
  readonly sender?: Sender;
}

export interface Sender {
  /** `standard-webhooks`, `generic-hmac`, or any other provider. */
  readonly scheme: string;
  readonly options: EndpointOptions;
  readonly secret: string;
}

export interface SampleChoice {
  /** Becomes part of every id in the sample: two tags are two objects. Default `kit`. */
  readonly tag?: string;
  /** The sample's own time, Unix milliseconds. All samples share one by default, as a provider's whole seconds let them. */
  readonly nowMs?: number;
  /** What differs from the sample. */
  readonly change?: (body: JsonValue) => JsonValue;
}

/**
 * A sample of a provider (`packages/providers/src/<provider>/samples.ts`) as a delivery. Samples of one tag tell one story about
 * the same objects. Throws where there is no such sample, and says which there are.
 */
export function sampleDelivery(provider: string, name: string, choice: SampleChoice = {}): SampleDelivery {
  const { tag = 'kit', nowMs = Date.UTC(2026, 8, 21, 14, 13, 20), change = (body) => body } = choice;
  const samples = findProvider(provider)?.samples ?? {};
  const sample = samples[name];
  if (!sample) {
    throw new Error(`${provider} has no sample ${name}; it has: ${Object.keys(samples).join(', ') || 'none'}`);
  }
  const values = { tag, nowMs };
  return {
    name: tag === 'kit' ? name : `${name} of ${tag}`,
    provider,
    body: Buffer.from(JSON.stringify(change(sample.body(values)))),
    headers: sample.headers?.(values) ?? {},
  };
}
