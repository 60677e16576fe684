/**
 * The bytes of a base64 text, or null where it is not the one text that stands for exactly `length` bytes. Node decodes
 * much more: foreign characters, a missing end, and several texts for the same bytes, so that a signature could be changed
 * and still match.
 */
export function base64Bytes(text: string, length: number): Buffer | null {
  if (text.length !== Math.ceil(length / 3) * 4) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === length && bytes.toString('base64') === text ? bytes : null;
}
