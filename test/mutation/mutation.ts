/** One deliberate fault in the product, and the tests that must break by it. */
export interface Mutation {
  readonly name: string;
  /** What goes wrong when the product is so. */
  readonly consequence: string;
  readonly file: string;
  /** Whole lines of the file, there exactly once. */
  readonly find: string;
  readonly replace: string;
  /** All of them must fail, each in an assertion. */
  readonly caughtBy: readonly CatchingTest[];
}

export interface CatchingTest {
  readonly file: string;
  readonly title: string;
}

/** The file's text with the fault in it. Throws where the lines to replace are not there exactly once: the code has moved on. */
export function mutate(source: string, { name, file, find, replace }: Mutation): string {
  const lines = source.split('\n');
  const wanted = find.split('\n');
  const places = lines.flatMap((_, at) => (wanted.every((line, n) => lines[at + n] === line) ? [at] : []));
  const [place] = places;
  if (place === undefined || places.length > 1) {
    throw new Error(
      `"${name}" replaces lines that are in ${file} ${places.length} times instead of once; ` +
        `update it in test/mutation/mutations.ts:\n${find}`,
    );
  }
  return lines.toSpliced(place, wanted.length, replace).join('\n');
}
