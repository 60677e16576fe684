import { printTable } from '../traffic/print-comparison.ts';
import type { MemorySample, Sample } from './samples.ts';

/**
 * Memory of the longest life of each process, its first third beside its last; nothing is asserted. The resident size grows for
 * minutes without a leak, because V8 widens the room for young objects. What a leak raises is the least heap that was ever
 * used, which is what was left after a collection.
 */
export function printMemory(samples: readonly Sample[]): string {
  const seen = samples.flatMap(({ atMs, memory }) => memory.map((each) => ({ ...each, atMs })));
  const rows = [...Map.groupBy(seen, ({ name }) => name)].map(([name, ofName]) => {
    const lives = [...Map.groupBy(ofName, ({ pid }) => pid).values()];
    const longest = lives.reduce((a, b) => (lifeMs(b) > lifeMs(a) ? b : a));
    const [first, last] = thirds(longest);
    return [
      name,
      String(lives.length),
      `${Math.round(lifeMs(longest) / 1000)} s`,
      fromTo(median(first.map(resident)), median(last.map(resident))),
      fromTo(Math.min(...first.map(heapUsed)), Math.min(...last.map(heapUsed))),
    ];
  });
  const head = ['memory (MiB), first to last third', 'lives', 'longest', 'resident, median', 'heap used, least'];
  return printTable(head, rows).join('\n');
}

/** Database sessions of all processes: the median of each third, and the most there ever were. */
export function printConnections(samples: readonly Sample[], idle: Sample): string {
  const [first, last] = thirds(samples).map((third) => median(third.map(({ connections }) => connections)));
  const most = Math.max(...samples.map(({ connections }) => connections));
  return `connections: median ${figure(first)} in the first third and ${figure(last)} in the last, at most ${most}; ${idle.connections} when idle again`;
}

/** The first and the last third. */
function thirds<T>(of: readonly T[]): readonly [readonly T[], readonly T[]] {
  const length = Math.max(1, Math.floor(of.length / 3));
  return [of.slice(0, length), of.slice(-length)];
}

function median(of: readonly number[]): number | undefined {
  return of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)];
}

function resident({ residentBytes }: MemorySample): number {
  return residentBytes / 2 ** 20;
}

function heapUsed({ heapUsedBytes }: MemorySample): number {
  return heapUsedBytes / 2 ** 20;
}

function fromTo(from: number | undefined, to: number | undefined): string {
  return `${figure(from)} to ${figure(to)}`;
}

function lifeMs(life: readonly { readonly atMs: number }[]): number {
  return (life.at(-1)?.atMs ?? 0) - (life[0]?.atMs ?? 0);
}

function figure(value: number | undefined): string {
  return value === undefined ? '?' : String(Math.round(value));
}
