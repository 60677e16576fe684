import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type BenchArguments, readArguments, usage } from './bench-arguments.ts';
import { type BenchReport, writeReport } from './bench-report.ts';
import { withServer } from './bench-server.ts';
import { ratioTable, scenarioTables, terminalOf } from './figure-tables.ts';
import { createRecorder, type Figure, type Ratio, ratiosOf } from './figures.ts';
import { describeMachine, type Machine } from './machine.ts';
import type { BenchRun, Section } from './section.ts';
import { sections } from './sections.ts';
import { writeTables } from './write-tables.ts';

const names = sections.map(({ name }) => name);
let given: BenchArguments;
try {
  given = readArguments(process.argv.slice(2), names);
} catch (error) {
  process.stderr.write(`${String(error)}\n\n${usage}`);
  process.exit(2);
}
await bench(given);

async function bench({ only, match, quick, json, huge, rounds, rows, write, profiles }: BenchArguments): Promise<void> {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const print = json ? say : (line: string) => void process.stdout.write(`${line}\n`);
  if (profiles !== null) mkdirSync(profiles, { recursive: true });
  const run: BenchRun = {
    quick,
    match,
    rounds,
    rows,
    huge,
    say,
    profiles: profiles === null ? null : resolve(profiles),
  };
  const machine = await withServer(describeMachine);
  print(machineText(machine));

  const figures: Figure[] = [];
  const ratios: Ratio[] = [];
  const machines: Record<string, Machine> = {};
  for (const section of sections.filter(({ name }) => only.length === 0 || only.includes(name))) {
    const found = await measure(section, run, print);
    figures.push(...found.figures);
    ratios.push(...found.ratios);
    machines[section.name] = machine;
  }
  if (ratios.length > 0 && !quick) print(`\nRatios\n\n${terminalOf(ratioTable(ratios))}`);
  const report: BenchReport = { machines, figures, ratios };
  if (json) process.stdout.write(`${JSON.stringify(report)}\n`);
  if (quick) print('\nEvery end state was right. These amounts are too small for figures that mean anything.');
  if (!write) return;
  writeReport(report);
  writeTables();
}

async function measure(
  section: Section,
  run: BenchRun,
  print: (line: string) => void,
): Promise<{ readonly figures: readonly Figure[]; readonly ratios: readonly Ratio[] }> {
  run.say(`\n${section.title}`);
  const record = createRecorder(section.name);
  await section.measure(run, record);
  const figures = record.figures();
  print(`\n${section.title}`);
  for (const { scenario, table } of scenarioTables(figures)) print(`\n${scenario}\n${terminalOf(table)}`);
  return { figures, ratios: ratiosOf(section.name, section.ratios, figures) };
}

function machineText(machine: Machine): string {
  const settings = Object.entries(machine.settings).map(([name, value]) => `${name}=${value}`);
  return [
    `${machine.cores} cores of ${machine.cpu}, ${machine.memoryGb} GB, ${machine.kernel}, load ${machine.loadBefore}`,
    `Node ${machine.node}, ${machine.postgres}, ${settings.join(' ')}`,
  ].join('\n');
}
