import { setTimeout as pause } from 'node:timers/promises';
import type { Fault, World } from '../fault.ts';
import { pick } from '../fault.ts';
import { fleetLeaseMs, type ProcessName } from '../fleet.ts';

/** Longer than a lease, so that others take over what it had. */
export const stopMs = fleetLeaseMs + 500;

export const stopWorker: Fault = {
  name: 'worker stopped',
  does: 'SIGSTOP of a worker at a random moment, for longer than a lease, then SIGCONT',
  lane: 'processes',
  inject: (world) => stop(world, pick(world.random, world.workers), stopMs),
};

export const stopIngestor: Fault = {
  name: 'ingestor stopped',
  does: 'SIGSTOP of an ingestor at a random moment, for longer than its clients wait, then SIGCONT',
  lane: 'processes',
  inject: (world) => stop(world, pick(world.random, world.ingestors), 4_000),
};

async function stop({ fleet }: World, name: ProcessName, forMs: number): Promise<boolean> {
  const target = await fleet.started(name);
  if (!target) return false;
  // A worker that wakes up this late may end itself: its watchdog says that its event loop was blocked.
  fleet.excuse(target);
  target.kill('SIGSTOP');
  await pause(forMs);
  target.kill('SIGCONT');
  return true;
}
