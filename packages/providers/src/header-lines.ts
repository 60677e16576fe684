import type { RequestHeaders } from './provider.ts';

/** One `name=value` of a structured signature header. */
export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

/** How a provider joins the fields of its signature header, for example `,` and `=` in `t=1,v1=aa`. */
export interface HeaderSyntax {
  readonly between: string;
  readonly within: string;
}

/**
 * The fields of every line of a signature header, in order. A proxy may double a line and a provider may send one line a
 * secret, so each line counts; work and memory stay bounded however many lines or fields a stranger sends. Null: no such
 * header. A field without the inner separator has an empty value. White space around fields goes, for a proxy that joins
 * repeated lines writes ", " between them (RFC 9110, section 5.3).
 */
export function headerFields(headers: RequestHeaders, name: string, syntax: HeaderSyntax): HeaderField[] | null {
  const lines = headers.get(name);
  if (!lines || lines.length === 0) return null;
  return lines.slice(0, maxLines).flatMap((line) => fieldsOf(line, syntax));
}

function fieldsOf(line: string, syntax: HeaderSyntax): HeaderField[] {
  // The limit of split() counts the pieces kept, so a 16 KB header of commas makes no long array.
  return line.split(syntax.between, maxFieldsPerLine).map((piece) => {
    const field = piece.trim();
    const at = field.indexOf(syntax.within);
    if (at < 0) return { name: field, value: '' };
    return { name: field.slice(0, at), value: field.slice(at + syntax.within.length) };
  });
}

// No provider sends more than two lines (Mollie, during a rotation); a proxy may double those.
const maxLines = 8;
const maxFieldsPerLine = 32;
