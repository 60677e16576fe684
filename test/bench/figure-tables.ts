import type { Figure, Ratio } from './figures.ts';
import { type MetricName, metrics } from './metrics.ts';

/** A table as rows of cells; the first row is the heading. */
export type Table = readonly (readonly string[])[];

/** One table a scenario: a row a contender, a column a metric, the best rate first. */
export function scenarioTables(
  figures: readonly Figure[],
): readonly { readonly scenario: string; readonly table: Table }[] {
  const scenarios = [...new Set(figures.map(({ scenario }) => scenario))];
  return scenarios.map((scenario) => {
    const here = figures.filter((figure) => figure.scenario === scenario);
    const columns = (Object.keys(metrics) as MetricName[]).filter((name) => here.some(({ metric }) => metric === name));
    const contenders = [...new Set(here.map(({ contender }) => contender))];
    const [first = 'rate'] = columns;
    const sign = metrics[first].better === 'higher' ? -1 : 1;
    const valueOf = (contender: string) =>
      here.find((figure) => figure.contender === contender && figure.metric === first)?.median ?? 0;
    const rows = contenders
      .toSorted((a, b) => sign * (valueOf(a) - valueOf(b)))
      .map((contender) => [
        contender,
        ...columns.map((metric) => shown(here.find((one) => one.contender === contender && one.metric === metric))),
      ]);
    return { scenario, table: [['', ...columns.map((name) => metrics[name].title)], ...rows] };
  });
}

/** Every ratio with its goal, and whether it was reached. */
export function ratioTable(ratios: readonly Ratio[]): Table {
  return [
    ['', 'ratio', 'least to most', 'goal', ''],
    ...ratios.map(({ title, median, min, max, goal, reached }) => [
      title,
      median.toFixed(2),
      min === max ? '' : `${min.toFixed(2)} to ${max.toFixed(2)}`,
      goal ?? '',
      reached === null ? '' : reached ? 'reached' : 'not reached',
    ]),
  ];
}

export function markdownOf([heading = [], ...rows]: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heading), `|${heading.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

export function terminalOf(table: Table): string {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table
    .map((row) =>
      row
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function shown(figure: Figure | undefined): string {
  if (!figure || Number.isNaN(figure.median)) return '';
  const { digits } = metrics[figure.metric];
  const text = (value: number) =>
    value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });
  return figure.rounds.length === 1
    ? text(figure.median)
    : `${text(figure.median)} (${text(figure.min)} to ${text(figure.max)})`;
}
