/**
 * Splits a list into rounds in which no key occurs twice, each key's items in their order. A statement over a round then does
 * for each object what one event after another would have done; nearly always there is a single round.
 */
export function inRounds<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  const rounds: Item[][] = [];
  const seen = new Map<string, number>();
  for (const item of items) {
    const round = seen.get(keyOf(item)) ?? 0;
    seen.set(keyOf(item), round + 1);
    (rounds[round] ??= []).push(item);
  }
  return rounds;
}
