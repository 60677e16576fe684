import type { Pattern } from './pattern.ts';
import type { Result, Verdict } from './run-pattern.ts';
import { wrap } from './wrap.ts';

export const tableWidth = 100;

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** Paints a text, or leaves it where nobody sees colours. */
export type Paint = (style: Style, text: string) => string;

const gap = '  ';
const columns = [
  { title: 'pattern', width: 33 },
  { title: 'delivered', width: 21 },
  { title: 'expected', width: 14 },
  { title: 'got', width: 14 },
  { title: 'verdict', width: 9 },
];

const look: Readonly<Record<Verdict, { readonly text: string; readonly style: Style }>> = {
  breaks: { text: '✗ breaks', style: 'red' },
  holds: { text: '✓ holds', style: 'green' },
  differs: { text: '! DIFFERS', style: 'yellow' },
  'not run': { text: '- not run', style: 'dim' },
};

export function tableHead(paint: Paint): string[] {
  const titles = columns.map(({ title, width }) => title.padEnd(width)).join(gap);
  return [paint('dim', ` ${titles}`.trimEnd()), paint('dim', '─'.repeat(tableWidth))];
}

/** One pattern: its title, its explanation where asked for, and a row a way. What is delivered again the same is not told again. */
export function tableRows(pattern: Pattern, results: readonly Result[], explain: boolean, paint: Paint): string[] {
  const name = pattern.name.padStart(tableWidth - pattern.title.length - 2);
  const title = ` ${paint('bold', pattern.title)} ${paint('dim', name)}`;
  const rows = results.flatMap((result, at) =>
    row({ ...result, delivered: result.delivered === results[at - 1]?.delivered ? '″' : result.delivered }, paint),
  );
  return ['', title, ...(explain ? explanation(pattern, paint) : []), ...rows];
}

function explanation({ why, rightIn }: Pattern, paint: Paint): string[] {
  return [...wrap(why, tableWidth - 3), `Right in ${rightIn}`, ''].map((line) => paint('dim', `   ${line}`).trimEnd());
}

/** Why ways were not run, and how many ended how. */
export function tableFoot(results: readonly Result[], paint: Paint): string[] {
  const notRun = results.filter(({ verdict }) => verdict === 'not run');
  const count = (verdict: Verdict) => results.filter((result) => result.verdict === verdict).length;
  const notes = notRun.flatMap(({ pattern, got }) => wrap(`- ${pattern} was not run: ${got}.`, tableWidth - 1));
  const patterns = new Set(results.map(({ pattern }) => pattern)).size;
  const counts =
    `${patterns} patterns, ${results.length} ways: ${count('breaks')} break and ${count('holds')} hold as documented, ` +
    `${count('not run')} not run, ${count('differs')} differ`;
  return [
    paint('dim', '─'.repeat(tableWidth)),
    ...notes.map((line) => paint('dim', ` ${line}`)),
    paint(count('differs') === 0 ? 'green' : 'yellow', ` ${counts}`),
  ];
}

function row({ does, delivered, expected, got, verdict }: Result, paint: Paint): string[] {
  const { text, style } = look[verdict];
  const cells = [does, delivered, expected, verdict === 'not run' ? '-' : got, text].map((cell, at) =>
    wrap(cell, widthOf(at) - indentOf(at)),
  );
  return Array.from({ length: Math.max(...cells.map(({ length }) => length)) }, (_, line) => {
    const parts = cells.map((lines, at) => {
      const part = lines[line] ?? '';
      const space = ' '.repeat(widthOf(at) - indentOf(at) - part.length);
      const isPainted = part !== '' && (at === verdictAt || (at === gotAt && verdict === 'differs'));
      return ' '.repeat(indentOf(at)) + (isPainted ? paint(style, part) : part) + space;
    });
    return ` ${parts.join(gap)}`.trimEnd();
  });
}

const gotAt = columns.findIndex(({ title }) => title === 'got');
const verdictAt = columns.findIndex(({ title }) => title === 'verdict');

function widthOf(column: number): number {
  return columns[column]?.width ?? 0;
}

// Ways stand under the title of their pattern.
function indentOf(column: number): number {
  return column === 0 ? 2 : 0;
}
