import { type LabServer, onBench } from './bench.ts';
import type { Pattern, Way } from './pattern.ts';

/**
 * - `breaks`: a wrong way broke as documented.
 * - `holds`: a right way held as documented.
 * - `differs`: what happened is not what the documentation says.
 * - `not run`: it cannot be shown here.
 */
export type Verdict = 'breaks' | 'holds' | 'differs' | 'not run';

export interface Result {
  readonly pattern: string;
  readonly kind: Way['kind'];
  readonly does: string;
  readonly delivered: string;
  readonly expected: string;
  /** What happened; why not, where the way was not run. */
  readonly got: string;
  readonly verdict: Verdict;
}

/** Runs the ways of one pattern one after the other, each on a bench of its own. */
export async function runPattern(server: LabServer, pattern: Pattern): Promise<Result[]> {
  const results: Result[] = [];
  for (const way of pattern.ways) results.push(await runWay(server, pattern, way));
  return results;
}

/** Runs one way. What it throws is what happened. */
export async function runWay(server: LabServer, { name }: Pattern, way: Way): Promise<Result> {
  const { kind, does, delivered, expected } = way;
  const told = { pattern: name, kind, does, delivered, expected };
  const got = await onBench(server, way.run).catch((error: unknown) => `threw ${String(error)}`);
  if (typeof got !== 'string') return { ...told, got: got.notRunBecause, verdict: 'not run' };
  return { ...told, got, verdict: got === expected ? verdictOn[kind] : 'differs' };
}

/** What the documentation says of a way. */
export const verdictOn = { wrong: 'breaks', right: 'holds' } as const satisfies Record<Way['kind'], Verdict>;
