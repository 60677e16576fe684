import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readReport } from './bench-report.ts';
import { markdownOf, ratioTable, scenarioTables } from './figure-tables.ts';
import { plotName, renderPlot } from './plots/render-plot.ts';
import { sections } from './sections.ts';

const page = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url));

/** Puts the figures of docs/benchmarks/figures.json between the markers of docs/benchmarks.md, so that none is typed by hand. */
export function writeTables(): void {
  writeFileSync(page, filled(readFileSync(page, 'utf8')));
}

/** Whether the page shows what the figures say. */
export function tablesAreFresh(): boolean {
  const text = readFileSync(page, 'utf8');
  return filled(text) === text;
}

function filled(text: string): string {
  return text.replaceAll(/<!-- bench:([a-z-]+) -->\n[\s\S]*?<!-- end -->/g, (_whole, name: string) => {
    return `<!-- bench:${name} -->\n${contentOf(name)}\n<!-- end -->`;
  });
}

function contentOf(name: string): string {
  const report = readReport();
  if (!report) return 'Not measured yet: `npm run bench -- --write`.';
  if (name === 'ratios') return markdownOf(ratioTable(report.ratios));
  const section = sections.find((one) => one.name === name);
  if (!section) throw new Error(`docs/benchmarks.md has a marker for a section ${name} that there is not`);
  const machine = report.machines[name];
  const figures = report.figures.filter((figure) => figure.section === name);
  if (!machine) return `Not measured yet: \`npm run bench -- --only ${name} --write\`.`;
  const plots = section.plots.filter((plot) => renderPlot(plot, figures) !== null);
  return [
    `${machine.startedAt.slice(0, 10)}, commit ${machine.commit}: ${machine.cores} cores of ${machine.cpu}, ${machine.memoryGb} GB, ` +
      `${machine.kernel}, load before ${machine.loadBefore}; Node ${machine.node}, ${machine.postgres} (` +
      `${Object.entries(machine.settings)
        .map(([key, value]) => `${key} ${value}`)
        .join(', ')}).`,
    ...plots.map((plot) => `![${section.title}](benchmarks/${plotName(name, plot)})`),
    ...scenarioTables(figures).map(({ scenario, table }) => `**${scenario}**\n\n${markdownOf(table)}`),
  ].join('\n\n');
}
