/** One statement of a file. */
export interface Statement {
  readonly sql: string;
  /** Where its first word stands in the file, counted from 1. */
  readonly line: number;
}

/**
 * Cuts SQL into its statements at the semicolons that end them, not at those in strings, names, comments and dollar-quoted
 * bodies (PostgreSQL manual, section 4.1, "Lexical Structure"). Sent one by one, an error names its line, and a distributed
 * PostgreSQL, which refuses several DDL commands in one string, takes the same files. Knows nothing of `BEGIN ATOMIC` bodies:
 * write functions with `$$`.
 */
export function splitStatements(text: string): readonly Statement[] {
  const statements: Statement[] = [];
  let start: number | null = null;
  const end = (at: number) => {
    if (start !== null) statements.push({ sql: text.slice(start, at), line: lineAt(text, start) });
    start = null;
  };
  for (let at = 0; at < text.length; ) {
    const length = tokenLength(text, at);
    if (text[at] === ';') end(at);
    else if (start === null && !isBlank(text.slice(at, at + length))) start = at;
    at += length;
  }
  end(text.length);
  return statements;
}

function tokenLength(text: string, at: number): number {
  if (text.startsWith('/*', at)) return blockCommentEnd(text, at) - at;
  token.lastIndex = at;
  return token.exec(text)?.[0].length ?? 1;
}

// A quote that is never closed runs to the end of the file; the server then says what is wrong.
const token = new RegExp(
  [
    String.raw`\s+`,
    String.raw`--[^\n]*`,
    String.raw`[eE]'(?:[^'\\]|\\[^]|'')*(?:'|$)`,
    String.raw`'(?:[^']|'')*(?:'|$)`,
    String.raw`"(?:[^"]|"")*(?:"|$)`,
    String.raw`\$(?<tag>(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?)\$[^]*?(?:\$\k<tag>\$|$)`,
    // A dollar sign inside a name opens no quote.
    String.raw`[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*`,
  ].join('|'),
  'y',
);

// They nest, which no regular expression follows.
function blockCommentEnd(text: string, start: number): number {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = start;
  let depth = 0;
  for (let found = edge.exec(text); found !== null; found = edge.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return text.length;
}

function isBlank(part: string): boolean {
  return /^(?:\s|--|\/\*)/.test(part);
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
