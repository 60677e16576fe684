/** Where two texts part, for a person: the line's number, what is there and what should be. */
export function firstDifference(found: string, expected: string): string {
  if (found === '') return 'the file is missing or empty';
  const have = found.split('\n');
  const want = expected.split('\n');
  const line = want.findIndex((text, index) => have[index] !== text);
  const at = line === -1 ? want.length : line;
  return `line ${at + 1}\n  - ${have[at] ?? '(end of file)'}\n  + ${want[at] ?? '(end of file)'}`;
}
