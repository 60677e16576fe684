/** Every order of the items. */
export function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((first, index) => permutations(items.toSpliced(index, 1)).map((rest) => [first].concat(rest)));
}
