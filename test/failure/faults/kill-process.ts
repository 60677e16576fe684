import type { Fault, World } from '../fault.ts';
import { pick } from '../fault.ts';
import type { ProcessName } from '../fleet.ts';

export const killWorker: Fault = {
  name: 'worker killed',
  does: 'SIGKILL of a worker at a random moment',
  lane: 'processes',
  inject: (world) => kill(world, pick(world.random, world.workers)),
};

export const killIngestor: Fault = {
  name: 'ingestor killed',
  does: 'SIGKILL of an ingestor at a random moment',
  lane: 'processes',
  inject: (world) => kill(world, pick(world.random, world.ingestors)),
};

async function kill({ fleet }: World, name: ProcessName): Promise<boolean> {
  const target = await fleet.started(name);
  if (!target) return false;
  fleet.excuse(target);
  target.kill('SIGKILL');
  return true;
}
