import { CodedError, type JsonValue } from '@mailroom/kernel';
import { type Provider, type RequestHeaders, type Sample, type SampleValues, schemeOf } from '@mailroom/providers';
import { quoted } from './names.ts';

/**
 * The source of a sample for an event type that a provider has none of: the nearest sample it has, as a literal that speaks of
 * the new type. Where no sample is about the same thing, what the event is about is left nearly empty (Stripe), or is what the
 * nearest one is about. Throws `no_sample_to_begin_with` where the provider would not read it as an event of that type.
 */
export function begunSample(provider: Provider, eventType: string): string {
  const nearest = nearestOf(Object.values(provider.samples), eventType);
  if (!nearest) throw new CodedError('no_sample_to_begin_with', `${provider.name} has no sample at all`);
  const aboutTheSame = commonWords(nearest.eventType, eventType) > 0;
  const body = renamed(nearest.body(values), nearest.eventType, eventType);
  const content = aboutTheSame || provider.name !== 'stripe' ? body : withBareObject(body, eventType);
  const headers = renamed(nearest.headers?.(values) ?? {}, nearest.eventType, eventType) as Record<string, string>;
  expectReadAs(provider, content, headers, eventType);
  return `{
    eventType: ${quoted(eventType)},
    body: ${functionOf(content)},
    ${nearest.headers ? `headers: ${functionOf(headers)},` : ''}
  }`;
}

/** Stand for the values in a sample, to be found again in its text. */
const values: SampleValues = { tag: 'ScaffoldTag', nowMs: Date.UTC(2031, 4, 17, 3, 11, 19) };

function nearestOf(samples: readonly Sample[], eventType: string): Sample | undefined {
  return samples.toSorted((a, b) => commonWords(b.eventType, eventType) - commonWords(a.eventType, eventType))[0];
}

function commonWords(one: string, other: string): number {
  const [words, others] = [wordsOf(one), wordsOf(other)];
  const differing = words.findIndex((word, index) => word !== others[index]);
  return differing < 0 ? words.length : differing;
}

function wordsOf(eventType: string): readonly string[] {
  return eventType.split(/[./]/);
}

/** A type may stand in a body whole, in an id in another spelling, or as the part that differs (`action` of GitHub). */
function renamed(value: JsonValue, before: string, after: string): JsonValue {
  if (typeof value === 'string') return renamedText(value, before, after);
  if (Array.isArray(value)) return value.map((item: JsonValue) => renamed(item, before, after));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, at]) => [key, renamed(at, before, after)]));
}

function renamedText(text: string, before: string, after: string): string {
  // At least the last word differs, though one type may begin with the other.
  const same = Math.min(commonWords(before, after), wordsOf(before).length - 1);
  const [restBefore, restAfter] = [before, after].map((type) => wordsOf(type).slice(same).join('.'));
  if (same > 0 && text === restBefore) return restAfter ?? text;
  let changed = text;
  for (const joint of ['.', '/', '_', '-']) {
    changed = changed.replaceAll(wordsOf(before).join(joint), wordsOf(after).join(joint));
  }
  return changed;
}

/** A Stripe event about something that no sample is about. */
function withBareObject(body: JsonValue, eventType: string): JsonValue {
  const object = wordsOf(eventType).at(-2) ?? eventType;
  return { ...(body as object), data: { object: { id: `${object}_${values.tag}`, object } } };
}

function expectReadAs(
  provider: Provider,
  body: JsonValue,
  headers: Readonly<Record<string, string>>,
  eventType: string,
): void {
  const lines: RequestHeaders = new Map(Object.entries(headers).map(([name, value]) => [name, [value]]));
  const request = { body: Buffer.from(JSON.stringify(body)), headers: lines };
  const scheme = schemeOf(provider.name, provider.example.options);
  const reading = scheme.read(request, { deliveryId: 'scaffold', secret: null });
  const types = reading.outcome === 'events' ? reading.events.map((event) => event.eventType) : [reading.outcome];
  if (types.includes(eventType)) return;
  throw new CodedError(
    'no_sample_to_begin_with',
    `no sample of ${provider.name} can be turned into one of ${eventType} (it reads as ${types.join(', ')}): ` +
      `write one into packages/providers/src/${provider.name}/samples.ts and run this again`,
  );
}

/** A function of the sample's values that gives `value`. Biome puts quotation marks and lines right. */
function functionOf(value: JsonValue): string {
  const source = sourceOf(value);
  // A parameter that nothing uses is refused by the type check.
  const used = [source.includes('{tag') && 'tag', source.includes('nowMs') && 'nowMs'].filter((name) => name !== false);
  return `(${used.length === 0 ? '' : `{ ${used.join(', ')} }`}) => (${source})`;
}

function sourceOf(value: JsonValue): string {
  const { nowMs } = values;
  const moment = new Date(nowMs).toISOString();
  return JSON.stringify(value, null, 2)
    .replaceAll(`"${moment}"`, 'new Date(nowMs).toISOString()')
    .replaceAll(`"${moment.replace('.000Z', 'Z')}"`, "new Date(nowMs).toISOString().replace(/\\.\\d+Z$/, 'Z')")
    .replaceAll(new RegExp(`\\b${nowMs}\\b`, 'g'), 'nowMs')
    .replaceAll(new RegExp(`\\b${nowMs / 1000}\\b`, 'g'), 'Math.floor(nowMs / 1000)')
    .replaceAll(/("(?:[^"\\\n]|\\.)*")(:?)/g, (whole, literal: string, colon) => (colon ? whole : withTag(literal)));
}

function withTag(literal: string): string {
  const parts = literal.split(/(ScaffoldTag|scaffoldtag)/);
  if (parts.length === 1) return literal;
  const texts = parts.map((part) => {
    if (part === values.tag) return `\${tag}`;
    if (part === values.tag.toLowerCase()) return `\${tag.toLowerCase()}`;
    return part.replaceAll('\\"', '"').replaceAll('`', '\\`').replaceAll('$', '\\$');
  });
  return `\`${texts.join('').slice(1, -1)}\``;
}
