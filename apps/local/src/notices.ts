/** One thing a person should see. */
export interface Notice {
  readonly atMs: number;
  readonly source: string;
  readonly text: string;
  /** How often in a row. */
  readonly times: number;
}

export interface Notices {
  add(source: string, text: string): void;
  /** The newest ones, oldest of them first. */
  last(count: number): readonly Notice[];
  /** How many there have been. */
  total(): number;
}

/** More than any terminal has lines. */
const maxKept = 200;

/** Keeps the newest notices; the same one again and again is one. `onAdd` hears of each. */
export function createNotices(onAdd: (source: string, text: string) => void): Notices {
  const kept: Notice[] = [];
  let total = 0;

  return {
    add(source, text) {
      total += 1;
      const previous = kept.at(-1);
      const repeated = previous?.source === source && previous.text === text;
      if (repeated) kept.pop();
      kept.push({ atMs: Date.now(), source, text, times: repeated ? previous.times + 1 : 1 });
      if (kept.length > maxKept) kept.shift();
      onAdd(source, text);
    },
    last: (count) => (count > 0 ? kept.slice(-count) : []),
    total: () => total,
  };
}
