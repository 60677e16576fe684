import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Fleet } from './fleet.ts';

export interface Restart {
  readonly name: string;
  readonly signal: 'SIGTERM' | 'SIGKILL';
  /** When the signal was sent. */
  readonly atMs: number;
}

export interface RestartOptions {
  readonly fleet: Fleet;
  readonly random: SeededRandom;
  /** On average, between two restarts. */
  readonly everyMs: number;
  readonly untilMs: number;
}

/** One in so many is a SIGKILL, as a crash or the end of the memory would be; the others are deployments. */
const killOneIn = 4;
/** After the first round these two are left alone, so that their memory can be compared over a long life. */
const longLived = new Set(['ingest-1', 'worker-1']);

/** Restarts every process in turn, then all but two of them, until the time is over. The first round is always finished. */
export async function restartInTurn({ fleet, random, everyMs, untilMs }: RestartOptions): Promise<readonly Restart[]> {
  const restarts: Restart[] = [];
  for (const name of turns(fleet.names)) {
    const firstRound = restarts.length < fleet.names.length;
    if (!firstRound && performance.now() + everyMs >= untilMs) return restarts;
    await pause(everyMs * (0.5 + random.fraction()));
    const signal = random.fraction() < 1 / killOneIn ? 'SIGKILL' : 'SIGTERM';
    restarts.push({ name, signal, atMs: performance.now() });
    await fleet.restart(name, signal);
  }
  return restarts;
}

function* turns(names: readonly string[]): Generator<string, undefined> {
  yield* names;
  for (;;) yield* names.filter((name) => !longLived.has(name));
}
