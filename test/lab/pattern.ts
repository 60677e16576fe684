import type { Bench } from './bench.ts';

/** One thing that is done wrong, with what happens then, and the right way beside it. A pattern is one file and one line in registry.ts. */
export interface Pattern {
  /** The file's name. */
  readonly name: string;
  readonly title: string;
  /** Two sentences. */
  readonly why: string;
  /** The file of the product that does it right. */
  readonly rightIn: string;
  readonly ways: readonly Way[];
}

/** A wrong way is expected to break as documented, a right way to hold; that is all that sets them apart. */
export interface Way {
  readonly kind: 'wrong' | 'right';
  readonly does: string;
  readonly delivered: string;
  /** What the documentation says happens. */
  readonly expected: string;
  /** Does it, on a bench of its own, and says what happened in the words of `expected`. */
  readonly run: (bench: Bench) => Promise<string | NotRun>;
}

/** Why a way cannot be shown here. */
export interface NotRun {
  readonly notRunBecause: string;
}
