import { setTimeout as pause } from 'node:timers/promises';
import { type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import type { Fault, World } from './fault.ts';
import { ingestors, workers } from './fleet.ts';
import type { Recovery } from './recovery.ts';

/** One time that a fault happened. Times are those of performance.now(). */
export interface Injection {
  readonly fault: string;
  readonly fromMs: number;
  /** When the fault was over. */
  readonly toMs: number;
  /** From then until an event that was posted after it was processed; null: not within the deadline. */
  readonly recoveryMs: number | null;
}

export interface AdversaryOptions {
  readonly faults: readonly Fault[];
  readonly world: Omit<World, 'random' | 'workers' | 'ingestors'>;
  readonly recovery: Recovery;
  readonly seed: number;
  /** No fault begins after it, but every fault happens at least once. */
  readonly untilMs: number;
  readonly print: (text: string) => void;
}

/** Between two faults of a lane, so that the fleet also works undisturbed. */
const calmMs = { least: 200, most: 1_200 };
/** A fault may not come about because another one was quicker. */
const tries = 4;

/** Injects all faults again and again, in an order that the seed decides, in several lanes beside each other. */
export async function runAdversary(options: AdversaryOptions): Promise<readonly Injection[]> {
  const { faults, seed } = options;
  const of = (lane: Fault['lane']): readonly Fault[] => faults.filter((fault) => fault.lane === lane);
  const toProcesses = seededRandom(seed).shuffled(of('processes'));
  const third = (n: number): readonly Fault[] => toProcesses.filter((_, place) => place % 3 === n);
  const injections: Injection[] = [];
  const targets: readonly Targets[] = [
    { workers: workers.slice(0, 1), ingestors: ingestors.slice(0, 1) },
    { workers: workers.slice(1, 2), ingestors: ingestors.slice(1) },
    { workers: workers.slice(2), ingestors },
  ];
  const everyone = { workers, ingestors };
  await Promise.all([
    ...targets.map((few, n) => runLane(options, injections, third(n), { ...few, random: seededRandom(seed + n + 1) })),
    runLane(options, injections, of('database'), { ...everyone, random: seededRandom(seed + 4) }),
    runLane(options, injections, of('background'), { ...everyone, random: seededRandom(seed + 5) }),
  ]);
  return injections;
}

type Targets = Pick<World, 'workers' | 'ingestors'>;

async function runLane(
  { world, recovery, untilMs, print }: AdversaryOptions,
  injections: Injection[],
  faults: readonly Fault[],
  seeing: Targets & Pick<World, 'random'>,
): Promise<void> {
  const { random } = seeing;
  const seen: World = { ...world, ...seeing };
  if (faults.length === 0) return;
  for (let round = 1; ; round += 1) {
    for (const fault of random.shuffled(faults)) {
      if (round > 1 && performance.now() >= untilMs) return;
      await pause(calmMs.least + random.fraction() * (calmMs.most - calmMs.least));
      const injection = await inject(fault, seen, recovery, random);
      if (injection) injections.push(injection);
      print(lineOf(fault, injection));
    }
    if (performance.now() >= untilMs) return;
  }
}

async function inject(
  fault: Fault,
  world: World,
  recovery: Recovery,
  random: SeededRandom,
): Promise<Injection | undefined> {
  for (let n = 0; n < tries; n += 1) {
    const fromMs = performance.now();
    // A database that another fault has taken away is no reason to stop; it comes back.
    if (await fault.inject(world).catch(() => false)) {
      const toMs = performance.now();
      return { fault: fault.name, fromMs, toMs, recoveryMs: await recovery.measure(toMs) };
    }
    await pause(calmMs.least + random.fraction() * calmMs.most);
  }
  return undefined;
}

function lineOf({ name }: Fault, injection: Injection | undefined): string {
  if (!injection) return `  ${name}: did not come about`;
  const { fromMs, toMs, recoveryMs } = injection;
  const recovered = recoveryMs === null ? 'NOT RECOVERED' : `recovered after ${Math.round(recoveryMs)} ms`;
  return `  ${name}: lasted ${Math.round(toMs - fromMs)} ms, ${recovered}`;
}
