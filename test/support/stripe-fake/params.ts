/** The parameters of a call by their names on the wire: `created[gte]`, `metadata[key]`, `types[0]`. */
export type Params = ReadonlyMap<string, string>;

export function readParams(text: string): Params {
  return new Map(new URLSearchParams(text));
}

/** Those of one list: `types[]`, `types[0]`, `types[1]`. */
export function listOf(params: Params, name: string): readonly string[] {
  return [...params].flatMap(([key, value]) => (new RegExp(`^${name}\\[\\d*\\]$`).test(key) ? [value] : []));
}

/** Of a write: one level of nesting, as metadata has; whole numbers as numbers. */
export function fieldsOf(params: Params): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, text] of params) {
    const [, outer = name, inner] = /^(\w+)\[(\w[^\]]*)\]$/.exec(name) ?? [];
    if (outer === 'expand') continue;
    if (inner === undefined) fields[name] = valueOf(name, text);
    // Metadata is text throughout.
    else fields[outer] = { ...(fields[outer] as object | undefined), [inner]: text };
  }
  return fields;
}

function valueOf(name: string, text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /amount|quantity|_at$/.test(name) && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}
