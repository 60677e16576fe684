import { asObject, type JsonValue } from '@mailroom/kernel';
import type { RequestHeaders } from '../provider.ts';
import type { Template, Templates, TemplatesByCase } from './definition.ts';

/** What the placeholders of a template stand for: an event and the headers it came with. */
export interface TemplateSource {
  readonly json: JsonValue;
  readonly headers: RequestHeaders;
}

/** The first of the templates of which every placeholder is there, filled; null where none is. */
export function fillFirst(templates: Templates | TemplatesByCase | undefined, source: TemplateSource): string | null {
  if (isByCase(templates)) {
    const value = fillFirst(templates.by, source) ?? '';
    return Object.hasOwn(templates.of, value) ? fillFirst(templates.of[value], source) : null;
  }
  for (const template of listOf(templates)) {
    const filled = fill(template, (name) => placeholder(name, source));
    if (filled !== null && filled !== '') return filled;
  }
  return null;
}

/** The template as the texts and names it consists of, in order: for content, where the body must not become text. */
export function partsOf(template: Template): readonly ({ readonly text: string } | { readonly name: string })[] {
  return template
    .split(placeholdersApart)
    .filter((piece) => piece !== '')
    .map((piece) => (piece.startsWith('{') ? { name: piece.slice(1, -1) } : { text: piece }));
}

/** The names in the braces of these templates. */
export function namesIn(templates: Templates | TemplatesByCase | undefined): readonly string[] {
  if (isByCase(templates)) return [templates.by, ...Object.values(templates.of)].flatMap((each) => namesIn(each));
  return listOf(templates).flatMap((template) => [...template.matchAll(placeholders)].map(([, name = '']) => name));
}

/** The headers that these templates look at. */
export function headersIn(templates: Templates | TemplatesByCase | undefined): readonly string[] {
  return namesIn(templates).flatMap((name) => headerOf(name) ?? []);
}

/** The value at a path like `data.items.0.id`; undefined where there is none. */
export function valueAt(json: JsonValue | undefined, path: string): JsonValue | undefined {
  return path.split('.').reduce<JsonValue | undefined>((value, key) => {
    if (Array.isArray(value)) return /^\d{1,6}$/.test(key) ? (value as readonly JsonValue[])[Number(key)] : undefined;
    const object = asObject(value);
    // JSON.parse makes own properties of `__proto__` and `constructor` too; inherited ones are not in the body.
    return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  }, json);
}

/** A template with its placeholders replaced; null where one of them has no value. */
function fill(template: Template, valueOf: (name: string) => string | null): string | null {
  let missing = false;
  const filled = template.replaceAll(placeholders, (_whole, name: string) => {
    const value = valueOf(name);
    if (value === null) missing = true;
    return value ?? '';
  });
  return missing ? null : filled;
}

function placeholder(name: string, source: TemplateSource): string | null {
  const header = headerOf(name);
  // The first line: a second one of these is nobody's.
  return header === null ? textOf(valueAt(source.json, name)) : (source.headers.get(header)?.[0] ?? null);
}

function textOf(value: JsonValue | undefined): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  return null;
}

function headerOf(name: string): string | null {
  return name.startsWith('header:') ? name.slice('header:'.length).toLowerCase() : null;
}

function isByCase(templates: Templates | TemplatesByCase | undefined): templates is TemplatesByCase {
  return typeof templates === 'object' && 'by' in templates;
}

function listOf(templates: Templates | undefined): readonly Template[] {
  if (templates === undefined) return [];
  return typeof templates === 'string' ? [templates] : templates;
}

const placeholders = /\{([^{}]+)\}/g;
const placeholdersApart = /(\{[^{}]+\})/;
