import { type MetricName, metrics } from './metrics.ts';
import { type Summary, summarise } from './statistics.ts';

/** What was measured where: one metric of one contender in one scenario, a value a round. */
export interface Figure extends Summary {
  readonly section: string;
  readonly scenario: string;
  readonly contender: string;
  readonly metric: MetricName;
  readonly rounds: readonly number[];
}

export type Measured = Readonly<Partial<Record<MetricName, number>>>;

/** Collects a section's values, round by round. */
export interface Recorder {
  add(scenario: string, contender: string, measured: Measured): void;
  figures(): readonly Figure[];
}

export function createRecorder(section: string): Recorder {
  const rounds = new Map<string, { scenario: string; contender: string; metric: MetricName; values: number[] }>();
  return { add, figures };

  function add(scenario: string, contender: string, measured: Measured): void {
    for (const [name, value] of Object.entries(measured)) {
      const key = JSON.stringify([scenario, contender, name]);
      const found = rounds.get(key) ?? { scenario, contender, metric: name as MetricName, values: [] };
      found.values.push(value);
      rounds.set(key, found);
    }
  }

  function figures(): readonly Figure[] {
    return [...rounds.values()].map(({ values, ...place }) => ({
      section,
      ...place,
      ...summarise(values),
      rounds: values,
    }));
  }
}

/** One side of a ratio. Of several contenders the one with the best median counts. */
export interface Side {
  readonly scenario: string;
  readonly contender: string | readonly string[];
  readonly metric: MetricName;
}

/** Two figures of one run, divided. */
export interface RatioRule {
  readonly title: string;
  readonly of: Side;
  readonly to: Side;
  /** What it should come to; without one it is only told. */
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
}

export interface Ratio extends Summary {
  readonly section: string;
  readonly title: string;
  /** Which contender the other side was. */
  readonly against: string;
  readonly goal: string | null;
  readonly reached: boolean | null;
}

/** The ratios whose two sides were measured, paired round by round where both have as many rounds. */
export function ratiosOf(section: string, rules: readonly RatioRule[], figures: readonly Figure[]): readonly Ratio[] {
  return rules.flatMap((rule) => {
    const of = bestOf(rule.of, figures);
    const to = bestOf(rule.to, figures);
    if (!of || !to) return [];
    const paired =
      of.rounds.length === to.rounds.length ? of.rounds.map((value, at) => value / (to.rounds[at] ?? 0)) : [];
    const summary = { ...summarise(paired), median: of.median / to.median };
    const ratio = paired.length > 0 ? summary : { median: summary.median, min: summary.median, max: summary.median };
    return [{ section, title: rule.title, against: to.contender, ...ratio, ...judged(rule.goal, ratio.median) }];
  });
}

function judged(goal: RatioRule['goal'], median: number): { goal: string | null; reached: boolean | null } {
  if (!goal) return { goal: null, reached: null };
  if ('atLeast' in goal) return { goal: `at least ${goal.atLeast}`, reached: median >= goal.atLeast };
  return { goal: `at most ${goal.atMost}`, reached: median <= goal.atMost };
}

function bestOf(side: Side, figures: readonly Figure[]): Figure | undefined {
  const names = typeof side.contender === 'string' ? [side.contender] : side.contender;
  const found = figures.filter(
    (figure) => figure.scenario === side.scenario && figure.metric === side.metric && names.includes(figure.contender),
  );
  const sign = metrics[side.metric].better === 'higher' ? -1 : 1;
  return found.toSorted((a, b) => sign * (a.median - b.median))[0];
}
