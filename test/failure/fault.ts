import type { CuttableProxy } from '../support/cuttable-proxy.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { ChaosDatabase } from './chaos-database.ts';
import type { ChaosHome } from './chaos-home.ts';
import type { Fleet, ProcessName } from './fleet.ts';
import type { PlannedEvent, Stories } from './stories.ts';

/** What a fault can reach. */
export interface World {
  readonly fleet: Fleet;
  readonly database: ChaosDatabase;
  /** The way of each process to the database. */
  readonly proxies: ReadonlyMap<ProcessName, CuttableProxy>;
  readonly home: ChaosHome;
  readonly stories: Stories;
  readonly send: (events: readonly PlannedEvent[]) => void;
  readonly random: SeededRandom;
  /** The processes that this fault may choose among, so that two faults at once seldom have the same one. */
  readonly workers: readonly ProcessName[];
  readonly ingestors: readonly ProcessName[];
}

/**
 * Faults of one lane happen one after another, those of different lanes beside each other. `processes`: something happens to one
 * process; there are three such lanes. `database`: to the server or to the way to it. `background`: for long, beside all others.
 */
export type Lane = 'processes' | 'database' | 'background';

/** One way in which things go wrong. */
export interface Fault {
  readonly name: string;
  /** For people: one line. */
  readonly does: string;
  readonly lane: Lane;
  /** Only with the database on a small disk. */
  readonly needsSmallDisk?: true;
  /**
   * Lets it happen and, where it lasts, ends it again: what comes after is recovery. Answers whether it did happen; a point of the
   * protocol may not be reached, because another fault was quicker.
   */
  inject(world: World): Promise<boolean>;
}

export function pick<T>(random: SeededRandom, from: readonly T[]): T {
  const picked = from[Math.floor(random.fraction() * from.length)];
  if (picked === undefined) throw new Error('there is nothing to pick from');
  return picked;
}
