import type { Figure } from '../figures.ts';
import { metrics } from '../metrics.ts';
import type { Plot } from './plot.ts';

/** `work-ordinary-handlers-rate.svg` */
export function plotName(section: string, plot: Plot): string {
  const what = plot.kind === 'bars' ? plot.scenario : 'all';
  return `${section}-${what}-${plot.metric}.svg`.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-');
}

/** The plot as SVG, with its own colours for dark pages; null where there is nothing to show. */
export function renderPlot(plot: Plot, figures: readonly Figure[]): string | null {
  const shown = figures.filter((figure) => figure.metric === plot.metric && Number.isFinite(figure.median));
  const svg = plot.kind === 'bars' ? bars(plot, shown) : lines(plot, shown);
  return svg;
}

const width = 760;
const left = 300;
const right = 90;
const rowHeight = 26;
const top = 44;

function bars(plot: Extract<Plot, { kind: 'bars' }>, figures: readonly Figure[]): string | null {
  const sign = metrics[plot.metric].better === 'higher' ? -1 : 1;
  const rows = figures
    .filter(({ scenario }) => scenario === plot.scenario)
    .toSorted((a, b) => sign * (a.median - b.median));
  if (rows.length === 0) return null;
  const most = Math.max(...rows.map(({ max }) => max));
  const x = (value: number) => left + (value / most) * (width - left - right);
  const parts = rows.map((figure, at) => {
    const y = top + at * rowHeight;
    const middle = y + rowHeight / 2 - 4;
    return [
      `<text x="${left - 8}" y="${middle + 4}" text-anchor="end">${escaped(figure.contender)}</text>`,
      `<rect class="${isOurs(figure) ? 'ours' : 'other'}" x="${left}" y="${y}" width="${fixed(x(figure.median) - left)}" height="${rowHeight - 8}"/>`,
      // From the worst round to the best one.
      `<path class="range" d="M${fixed(x(figure.min))} ${middle}H${fixed(x(figure.max))}"/>`,
      `<text x="${fixed(x(figure.max) + 6)}" y="${middle + 4}">${valueText(figure.median, plot.metric)}</text>`,
    ].join('\n');
  });
  return framed(`${plot.scenario}: ${metrics[plot.metric].title}`, top + rows.length * rowHeight + 12, parts);
}

function lines(plot: Extract<Plot, { kind: 'lines' }>, figures: readonly Figure[]): string | null {
  const scenarios = plot.scenarios.filter((scenario) => figures.some((figure) => figure.scenario === scenario));
  const here = figures.filter(({ scenario }) => scenarios.includes(scenario));
  // A contender that was measured in one scenario only has no line.
  const contenders = [...new Set(here.map(({ contender }) => contender))].filter(
    (name) => here.filter(({ contender }) => contender === name).length > 1,
  );
  if (contenders.length === 0) return null;
  const height = 300;
  const bottom = height - 40;
  const most = Math.max(...here.filter(({ contender }) => contenders.includes(contender)).map(({ max }) => max));
  const x = (at: number) => 80 + (at * (width - 340)) / Math.max(scenarios.length - 1, 1);
  const y = (value: number) => bottom - (value / most) * (bottom - top);
  const axis = scenarios.map(
    (name, at) => `<text x="${fixed(x(at))}" y="${bottom + 20}" text-anchor="middle">${escaped(name)}</text>`,
  );
  const scale = [0, 0.5, 1].map(
    (share) =>
      `<path class="grid" d="M60 ${fixed(y(most * share))}H${width - 240}"/><text x="54" y="${fixed(y(most * share) + 4)}" text-anchor="end">${valueText(most * share, plot.metric)}</text>`,
  );
  const series = contenders.map((name, number) => {
    const points = scenarios.flatMap((scenario, at) => {
      const figure = here.find((one) => one.contender === name && one.scenario === scenario);
      return figure ? [`${fixed(x(at))},${fixed(y(figure.median))}`] : [];
    });
    const legendY = top + number * 20;
    return [
      `<polyline class="line s${number % 6}" points="${points.join(' ')}"/>`,
      ...points.map(
        (point) => `<circle class="dot s${number % 6}" cx="${point.split(',')[0]}" cy="${point.split(',')[1]}" r="3"/>`,
      ),
      `<path class="line s${number % 6}" d="M${width - 225} ${legendY}h16"/><text x="${width - 203}" y="${legendY + 4}">${escaped(name)}</text>`,
    ].join('\n');
  });
  return framed(metrics[plot.metric].title, height, [...scale, ...axis, ...series]);
}

function framed(title: string, height: number, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${style}</style>`,
    `<text class="title" x="12" y="24">${escaped(title)}</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

const style = `
text{font:12px system-ui,sans-serif;fill:#333}.title{font-size:14px;font-weight:600}
.ours{fill:#2563a8}.other{fill:#a9b4c0}.range{stroke:#333;stroke-width:1.5}.grid{stroke:#ddd}
.line{fill:none;stroke-width:2}
${['#2563a8', '#c2562d', '#4c8a3f', '#8a4ca8', '#a88b25', '#5f6b78'].map((colour, at) => `.line.s${at}{stroke:${colour}}.dot.s${at}{fill:${colour}}`).join('')}
@media(prefers-color-scheme:dark){text{fill:#ddd}.range{stroke:#ddd}.grid{stroke:#444}.ours{fill:#5b9ee6}.other{fill:#5f6b78}}
`;

function isOurs({ contender }: Figure): boolean {
  return contender.startsWith('Mailroom');
}

function valueText(value: number, metric: Figure['metric']): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? metrics[metric].digits : 0 });
}

function fixed(value: number): string {
  return value.toFixed(1);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
