import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure, Ratio } from './figures.ts';
import type { Machine } from './machine.ts';
import { plotName, renderPlot } from './plots/render-plot.ts';
import { sections } from './sections.ts';

/** What a run found, and what docs/benchmarks/figures.json holds. */
export interface BenchReport {
  /** One a section: sections may have been measured at different times. */
  readonly machines: Readonly<Record<string, Machine>>;
  readonly figures: readonly Figure[];
  readonly ratios: readonly Ratio[];
}

const benchmarksFolder = fileURLToPath(new URL('../../docs/benchmarks/', import.meta.url));
const figuresFile = join(benchmarksFolder, 'figures.json');

/** The last figures that were written down; null before the first. */
export function readReport(): BenchReport | null {
  return existsSync(figuresFile) ? (JSON.parse(readFileSync(figuresFile, 'utf8')) as BenchReport) : null;
}

/** Writes the figures and their plots. A section that this run did not measure keeps what it had. */
export function writeReport(report: BenchReport): void {
  const measured = Object.keys(report.machines);
  const before = readReport();
  const kept = <T extends { readonly section: string }>(list: readonly T[] = []) =>
    list.filter(({ section }) => !measured.includes(section));
  const whole: BenchReport = {
    machines: { ...before?.machines, ...report.machines },
    figures: [...kept(before?.figures), ...report.figures],
    ratios: [...kept(before?.ratios), ...report.ratios],
  };
  mkdirSync(benchmarksFolder, { recursive: true });
  writeFileSync(figuresFile, `${JSON.stringify(whole, rounded, 1)}\n`);
  for (const { name, plots } of sections) {
    for (const plot of plots) {
      const svg = renderPlot(
        plot,
        whole.figures.filter(({ section }) => section === name),
      );
      if (svg !== null) writeFileSync(join(benchmarksFolder, plotName(name, plot)), svg);
    }
  }
}

// Six digits are more than any round repeats.
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
}
