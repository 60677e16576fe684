import { setTimeout as pause } from 'node:timers/promises';
import type { CuttableProxy } from '../../support/cuttable-proxy.ts';
import { type Fault, pick, type World } from '../fault.ts';
import { fleetLeaseMs } from '../fleet.ts';

export const networkDrop: Fault = {
  name: 'network: dropped',
  does: 'every connection to the database is reset, of one process or of all; new ones are refused for about a second',
  lane: 'database',
  async inject(world) {
    const { chosen } = choose(world);
    await Promise.all(chosen.map((proxy) => proxy.refuse()));
    for (const proxy of chosen) proxy.cut();
    await pause(500 + world.random.fraction() * 1_000);
    await Promise.all(chosen.map((proxy) => proxy.pass()));
    return true;
  },
};

export const networkSlow: Fault = {
  name: 'network: slow',
  does: 'every byte to and from the database takes 50 to 250 ms longer in each direction, for 3 s',
  lane: 'database',
  async inject(world) {
    const delayMs = 50 + world.random.fraction() * 200;
    const proxies = [...world.proxies.values()];
    for (const proxy of proxies) proxy.slow(delayMs);
    await pause(3_000);
    for (const proxy of proxies) proxy.slow(0);
    return true;
  },
};

export const networkHalfOpen: Fault = {
  name: 'network: half open',
  does: 'connections stay and are accepted, and nothing passes: for one process longer than a lease, for all 3 s; then what was sent arrives late, or is lost',
  lane: 'database',
  async inject(world) {
    const { chosen, alone } = choose(world);
    for (const proxy of chosen) proxy.stall();
    const arrivesLate = world.random.fraction() < 0.5;
    await pause(alone ? fleetLeaseMs + 500 : 3_000);
    if (!arrivesLate) for (const proxy of chosen) proxy.cut();
    await Promise.all(chosen.map((proxy) => proxy.pass()));
    return true;
  },
};

/** The way of one process, or of all. */
function choose({ proxies, random }: World): { readonly chosen: readonly CuttableProxy[]; readonly alone: boolean } {
  const all = [...proxies.values()];
  const alone = random.fraction() < 0.5;
  return { chosen: alone ? [pick(random, all)] : all, alone };
}
