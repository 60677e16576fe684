/** JSON that says the same in other bytes. */
export interface JsonSpelling {
  /** For a person: "compact", "pretty with 2 spaces and \uXXXX escapes". */
  readonly name: string;
  readonly text: string;
}

/**
 * Other ways to write a JSON text, those that common serialisers produce: white space and escapes differ; numbers, keys and
 * their order stay as they are. Nothing is parsed into values, so no number is rounded. Lazy: each costs one pass.
 */
export function* jsonSpellings(text: string): Generator<JsonSpelling> {
  const pieces = piecesOf(text);
  if (pieces === null) return;
  for (const escapes of escapings) {
    const rewritten = pieces.map((piece) => (piece.startsWith('"') ? escapes.rewrite(piece) : piece));
    for (const layout of layouts) {
      const name = escapes.name === '' ? layout.name : `${layout.name}, ${escapes.name}`;
      const spelled = spell(rewritten, layout);
      yield { name, text: spelled };
      if (layout.indent !== null) yield { name: `${name}, a line break at the end`, text: `${spelled}\n` };
    }
  }
}

interface Layout {
  readonly name: string;
  readonly indent: string | null;
  readonly comma: string;
  readonly colon: string;
}

const layouts: readonly Layout[] = [
  { name: 'compact', indent: null, comma: ',', colon: ':' },
  { name: 'pretty with 2 spaces', indent: '  ', comma: ',', colon: ': ' },
  { name: 'pretty with 4 spaces', indent: '    ', comma: ',', colon: ': ' },
  { name: 'pretty with tabs', indent: '\t', comma: ',', colon: ': ' },
  // Python's json.dumps.
  { name: 'with spaces after commas and colons', indent: null, comma: ', ', colon: ': ' },
];

interface Escaping {
  readonly name: string;
  readonly rewrite: (literal: string) => string;
}

const escapings: readonly Escaping[] = [
  { name: '', rewrite: (literal) => literal },
  // Python's and PHP's default; PHP and Shopify's Ruby escape slashes as well.
  { name: 'other characters escaped', rewrite: escapeOthers },
  { name: 'slashes escaped', rewrite: escapeSlashes },
  { name: 'other characters and slashes escaped', rewrite: (literal) => escapeSlashes(escapeOthers(literal)) },
  { name: 'nothing escaped without need', rewrite: (literal) => JSON.stringify(JSON.parse(literal)) },
  // Go's encoding/json.
  {
    name: '<, > and & escaped',
    rewrite: (literal) => literal.replaceAll(/[<>&]/g, (character) => unicodeEscape(character)),
  },
];

function escapeOthers(literal: string): string {
  return literal.replaceAll(/[^\0-\x7f]/g, (unit) => unicodeEscape(unit));
}

function escapeSlashes(literal: string): string {
  return literal.replaceAll(/\\\/|\//g, String.raw`\/`);
}

function unicodeEscape(unit: string): string {
  return [...Array(unit.length).keys()].map((at) => `\\u${unit.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}

/** String literals, punctuation and bare words of a JSON text, without white space; null where it is no JSON. */
function piecesOf(text: string): readonly string[] | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  return text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g);
}

function spell(pieces: readonly string[], { indent, comma, colon }: Layout): string {
  const written: string[] = [];
  let depth = 0;
  const newLine = () => (indent === null ? '' : `\n${indent.repeat(Math.min(depth, deepestIndent))}`);
  for (const [at, piece] of pieces.entries()) {
    if (piece === '{' || piece === '[') {
      depth += 1;
      const isEmpty = closes(pieces[at + 1]);
      written.push(piece, isEmpty ? '' : newLine());
    } else if (closes(piece)) {
      depth -= 1;
      const opensBefore = pieces[at - 1] === '{' || pieces[at - 1] === '[';
      written.push(opensBefore ? '' : newLine(), piece);
    } else if (piece === ',') written.push(comma, newLine());
    else written.push(piece === ':' ? colon : piece);
  }
  return written.join('');
}

function closes(piece: string | undefined): boolean {
  return piece === '}' || piece === ']';
}

/** Nobody signs a body nested deeper than this and indented; without it 20,000 brackets would become 400 MB. */
const deepestIndent = 100;
