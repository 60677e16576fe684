/** Numbers that look random and are the same for the same seed, so that a run can be repeated. */
export interface SeededRandom {
  /** From 0 up to, not including, 1. */
  fraction(): number;
  shuffled<T>(items: readonly T[]): readonly T[];
}

/** The generator mulberry32: 32 bits of state, good enough to pick and to shuffle. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  return { fraction, shuffled };

  function fraction(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  function shuffled<T>(items: readonly T[]): readonly T[] {
    return items
      .map((item) => ({ item, place: fraction() }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ item }) => item);
  }
}
