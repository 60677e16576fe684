/**
 * Text from outside, safe to show: control characters, which could drive the reader's terminal, and characters that turn
 * the direction of text are written as escapes. A line stays one line.
 */
export function visible(text: string): string {
  return text.replace(unsafe, (character) => {
    const short = shortEscapes.get(character);
    return short ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

// C0, DEL, C1, line and paragraph separators, directional marks (Unicode TR 36, section 2.10).
const unsafe = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const shortEscapes = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
