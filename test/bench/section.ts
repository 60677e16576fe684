import type { RatioRule, Recorder } from './figures.ts';
import type { Plot } from './plots/plot.ts';

/** How a run of the bench was asked for. */
export interface BenchRun {
  /** Small amounts, one round: proves that everything works and ends right. */
  readonly quick: boolean;
  readonly rounds: number;
  /** Only contenders whose name holds this; empty: all. Sections that compare nobody take no notice. */
  readonly match: string;
  /** Also what takes many minutes and gigabytes: five million rows. */
  readonly huge: boolean;
  /** How many old events the section `prune` begins with; null: its own default. */
  readonly rows: number | null;
  /** Where the CPU profiles of the measured processes go; null: none are taken. */
  readonly profiles: string | null;
  /** Progress, for whoever watches. */
  readonly say: (line: string) => void;
}

/** One question that the bench answers, with a server of its own. */
export interface Section {
  readonly name: string;
  readonly title: string;
  readonly ratios: readonly RatioRule[];
  readonly plots: readonly Plot[];
  measure(run: BenchRun, record: Recorder): Promise<void>;
}

/** One of those that are compared: does its work once and notes what it measured. */
export interface Contender {
  readonly name: string;
  measure(): Promise<void>;
}

/** Interleaves the contenders, A B C A B C, so that a slow minute of the machine meets all of them. */
export async function inRounds(run: BenchRun, contenders: readonly Contender[]): Promise<void> {
  for (let round = 1; round <= run.rounds; round += 1) {
    for (const contender of contenders.filter(({ name }) => name.includes(run.match))) {
      const startedAt = performance.now();
      await contender.measure();
      run.say(
        `round ${round} of ${run.rounds}: ${contender.name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`,
      );
    }
  }
}
