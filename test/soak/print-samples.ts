import { printTable } from '../traffic/print-comparison.ts';
import type { MemorySample, Sample } from './samples.ts';

/** Memory: the longest life of each process, its first third beside its last. A leak shows as growth; nothing is asserted. */
export function printMemory(samples: readonly Sample[]): string {
  const seen = samples.flatMap(({ atMs, memory }) => memory.map((each) => ({ ...each, atMs })));
  const rows = [...Map.groupBy(seen, ({ name }) => name)].map(([name, ofName]) => {
    const lives = [...Map.groupBy(ofName, ({ pid }) => pid).values()];
    const longest = lives.reduce((a, b) => (lifeMs(b) > lifeMs(a) ? b : a));
    const [first, last] = thirds(longest).map((third) => median(third.map(mebibytes)));
    return [name, String(lives.length), `${Math.round(lifeMs(longest) / 1000)} s`, figure(first), figure(last)];
  });
  return printTable(['memory (RSS, MiB)', 'lives', 'longest', 'first third', 'last third'], rows).join('\n');
}

/** Database sessions of all processes: the median of each third, and the most there ever were. */
export function printConnections(samples: readonly Sample[], idle: Sample): string {
  const [first, last] = thirds(samples).map((third) => median(third.map(({ connections }) => connections)));
  const most = Math.max(...samples.map(({ connections }) => connections));
  return `connections: median ${figure(first)} in the first third and ${figure(last)} in the last, at most ${most}; ${idle.connections} when idle again`;
}

/** The first and the last third. */
export function thirds<T>(of: readonly T[]): readonly [readonly T[], readonly T[]] {
  const length = Math.max(1, Math.floor(of.length / 3));
  return [of.slice(0, length), of.slice(-length)];
}

export function median(of: readonly number[]): number | undefined {
  return of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)];
}

function mebibytes({ residentBytes }: MemorySample): number {
  return residentBytes / 2 ** 20;
}

function lifeMs(life: readonly { readonly atMs: number }[]): number {
  return (life.at(-1)?.atMs ?? 0) - (life[0]?.atMs ?? 0);
}

function figure(value: number | undefined): string {
  return value === undefined ? '?' : String(Math.round(value));
}
