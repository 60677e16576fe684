import { z } from 'zod';
import type { HmacDefinition } from '../declarative/definition.ts';
import { namesIn } from '../declarative/template.ts';

/** Judges the definition of a scheme that stands in the endpoints file. What is wrong is told in the words given here. */
const template = z
  .string({ error: 'a text with placeholders in braces, such as "{data.id}" or "{header:x-event-id}"' })
  .min(1)
  .max(500)
  .refine((text) => !/[{}]/.test(text.replaceAll(/\{[^{}]+\}/g, '')), {
    error: 'braces in pairs, with a name in each',
  });

const templates = z.union([template, z.array(template).min(1).max(20)], {
  error: 'a template such as "{data.id}", or a list of them of which the first that can be filled counts',
});

const header = z
  .string({ error: 'the name of a header' })
  .regex(/^[A-Za-z0-9-]{1,100}$/, { error: 'the name of a header' })
  .transform((name) => name.toLowerCase());

const short = (error: string) => z.string({ error }).min(1, { error }).max(50, { error });

const choice = <const T extends readonly string[]>(values: T, standard: T[number]) =>
  z.enum(values, { error: `one of ${values.map((value) => `"${value}"`).join(', ')}` }).default(standard as never);

const signature = z.strictObject(
  {
    header,
    algorithm: choice(['sha256', 'sha512', 'sha1'], 'sha256'),
    encoding: choice(['hex', 'base64'], 'hex'),
    content: template.default('{body}'),
    tag: short('what stands before the signature in its header, such as "sha256=" or "v1="').optional(),
    separator: short('what stands between the entries of the header, such as "," or ";"').optional(),
  },
  { error: 'an object; "header" names the header with the signature' },
);

const event = z.strictObject(
  {
    id: templates.optional(),
    signal: z.boolean({ error: 'true where every delivery is an event of its own' }).optional(),
    type: templates,
    object: z
      .union([templates, z.strictObject({ by: template, of: z.record(z.string(), templates) })], {
        error: 'templates, or {"by": template, "of": {value: templates}}',
      })
      .optional(),
    time: templates.optional(),
    apiVersion: templates.optional(),
    account: templates.optional(),
    livemode: templates.optional(),
    testmode: templates.optional(),
  },
  { error: 'an object; "type" tells the type of an event' },
);

const handshake = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, { error: 'a word for the log: lower-case letters, digits, _' }),
  when: z.record(template, z.string(), { error: 'templates and what each must give: {"{type}": "ping"}' }),
  echo: template.optional(),
  prove: template.optional(),
});

export const genericOptions = z
  .strictObject({
    signature,
    secret: z
      .strictObject({
        encoding: choice(['text', 'hex', 'base64'], 'text'),
        prefix: short('what is taken off the secret before it is decoded').optional(),
      })
      .optional(),
    timestamp: z
      .strictObject({
        header: header.optional(),
        tag: short('what stands before the time in the signature header, such as "t="').optional(),
        unit: choice(['s', 'ms'], 's'),
      })
      .refine((given) => (given.header === undefined) !== (given.tag === undefined), {
        error: 'either "header" or "tag", the place of the signed time',
      })
      .optional(),
    idHeader: header.optional(),
    url: z
      .string()
      .regex(/^https?:\/\/\S+$/, { error: 'the URL exactly as it is configured at the provider' })
      .optional(),
    batch: z
      .string()
      .regex(/^[^{}.]+(\.[^{}.]+){0,6}$/, {
        error: 'the path of the array of events, such as "events" or "data.items"',
      })
      .optional(),
    event,
    handshakes: z.array(handshake).max(10).optional(),
  })
  .superRefine((definition, context) => {
    for (const { path, message } of contradictions(definition)) context.addIssue({ code: 'custom', path, message });
  });

/** What is right by itself and wrong together: a signature that leaves something out is worth less than it seems. */
function contradictions(definition: HmacDefinition): { path: string[]; message: string }[] {
  const signed = namesIn(definition.signature.content);
  const content = ['signature', 'content'];
  const rules: readonly (readonly [boolean, string[], string])[] = [
    [signed.filter((name) => name === 'body').length === 1, content, 'content that holds {body} once'],
    [signed.every((name) => known.has(name)), content, 'no placeholders but {body}, {timestamp}, {id} and {url}'],
    [
      signed.includes('timestamp') === (definition.timestamp !== undefined),
      ['timestamp'],
      'the place of the time, and {timestamp} in the signed content: one is nothing without the other',
    ],
    [
      signed.includes('id') === (definition.idHeader !== undefined),
      ['idHeader'],
      'the header of the id, and {id} in the signed content: one is nothing without the other',
    ],
    [
      signed.includes('url') === (definition.url !== undefined),
      ['url'],
      'the configured URL, and {url} in the signed content: one is nothing without the other',
    ],
  ];
  return rules.filter(([holds]) => !holds).map(([, path, message]) => ({ path, message }));
}

const known: ReadonlySet<string> = new Set(['body', 'timestamp', 'id', 'url']);
