import * as fc from 'fast-check';

/** Every order of the items; of n there are n!. */
export function permutations<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((first, index) => permutations(items.toSpliced(index, 1)).map((rest) => [first].concat(rest)));
}

/** Each item in turn first, the others after it. */
export function rotations<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return items.map((_, index) => [...items.slice(index), ...items.slice(0, index)]);
}

/**
 * Tries `count` random orders, the same for the same seed. Where one fails, a failing one is looked for that is nearer to the
 * order given, and its error is thrown with the seed in front. Answers how many it tried.
 */
export async function inRandomOrders<Item>(
  items: readonly Item[],
  { seed, count }: { readonly seed: number; readonly count: number },
  check: (order: readonly Item[]) => Promise<void>,
): Promise<number> {
  // Which of those left comes next. Each number shrinks to 0, and all 0 is the order given.
  const picks = fc.tuple(...items.map((_, index) => fc.nat(items.length - 1 - index)));
  const property = fc.asyncProperty(picks, async (chosen) => await check(picked(items, chosen)));
  const details = await fc.check(property, { seed, numRuns: count });
  if (!details.failed) return details.numRuns;
  const error = details.errorInstance;
  throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

function picked<Item>(items: readonly Item[], picks: readonly number[]): readonly Item[] {
  const left = [...items];
  return picks.flatMap((pick) => left.splice(pick, 1));
}
