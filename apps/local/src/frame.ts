import { stripVTControlCharacters } from 'node:util';
import type { Notice } from './notices.ts';

export type Style = 'plain' | 'bold' | 'dim' | 'good' | 'bad';

/** A piece of a line; a line is pieces, so that cutting it to the width never cuts an escape sequence. */
export type Piece = readonly [style: Style, text: string];
export type Line = readonly Piece[];

export interface ProcessView {
  readonly name: string;
  readonly state: string;
  readonly well: boolean;
  readonly pid: string;
  readonly restarts: number;
  readonly where: string;
}

export interface CountsView {
  readonly receivedPerSecond: number;
  readonly byState: Readonly<Record<string, number>>;
  /** A count that reached it means "that many or more". */
  readonly countLimit: number;
  readonly oldestDueSeconds: number | null;
}

/** Everything the screen shows. */
export interface View {
  readonly title: string;
  readonly well: boolean;
  readonly summary: string;
  readonly upForMs: number;
  readonly counts: CountsView | null;
  readonly processes: readonly ProcessView[];
  readonly notices: readonly Notice[];
  readonly logFolder: string;
  readonly tryNext: readonly (readonly [command: string, what: string])[];
}

/** States that a person must look at are shown even when they are 0: their absence is the good news. */
const alwaysShown = ['pending', 'processed', 'exhausted', 'rejected'];
const bad = new Set(['exhausted', 'rejected', 'quarantined']);

/** Draws the view into exactly `rows` lines of at most `columns` characters; notices get what is left. */
export function drawFrame(view: View, columns: number, rows: number): readonly Line[] {
  const above: Line[] = [
    [
      ['bold', view.title],
      ['plain', '  '],
      [view.well ? 'good' : 'bad', view.summary],
      ['dim', `  up ${clock(view.upForMs)}`],
    ],
    [],
    ...countLines(view.counts),
    [],
    ...processLines(view.processes),
    [],
  ];
  const width = Math.max(...view.tryNext.map(([command, what]) => (what ? command.length : 0)));
  const below: Line[] = [
    [],
    [['bold', 'Try next, in another terminal, in this folder:']],
    ...view.tryNext.map(
      ([command, what]): Line => [
        ['plain', `  ${command.padEnd(width)}`],
        ['dim', `  ${what}`],
      ],
    ),
    [['dim', 'Ctrl-C stops everything and keeps the data.']],
  ];
  // A terminal too low for everything keeps the top: what is up, what is not, and why.
  const bottom = above.length + below.length + 2 <= rows ? below : [];
  const room = Math.max(1, rows - above.length - bottom.length - 1);
  const notices = view.notices.slice(-room).map(noticeLine);
  const middle: Line[] = [
    [
      ['bold', 'Warnings and errors'],
      ['dim', `  (whole logs: ${view.logFolder})`],
    ],
    ...(notices.length === 0 ? [[['dim', '  none']] as Line] : notices),
  ];
  const filler = Array.from(
    { length: Math.max(0, rows - above.length - middle.length - bottom.length) },
    (): Line => [],
  );
  return [...above, ...middle, ...filler, ...bottom].slice(0, rows).map((line) => cut(line, columns));
}

function countLines(counts: CountsView | null): Line[] {
  if (!counts) return [[['dim', 'received    not known yet']], []];
  const { byState, countLimit, oldestDueSeconds } = counts;
  const states = [...new Set([...alwaysShown, ...Object.keys(byState)])];
  const shown = states.filter((state) => alwaysShown.includes(state) || (byState[state] ?? 0) > 0);
  const countOf = (state: string): string => `${byState[state] ?? 0}${byState[state] === countLimit ? '+' : ''}`;
  const oldest = oldestDueSeconds === null ? '' : `, the oldest due for ${oldestDueSeconds.toFixed(0)} s`;
  return [
    [
      ['plain', `received    ${counts.receivedPerSecond.toFixed(1)} new events/s`],
      ['plain', `     backlog ${countOf('pending')}${oldest}`],
    ],
    [
      ['plain', 'by state    '],
      ...shown.flatMap((state): Line => {
        const style = bad.has(state) && (byState[state] ?? 0) > 0 ? 'bad' : 'plain';
        return [
          [style, `${state} ${countOf(state)}`],
          ['plain', '   '],
        ];
      }),
    ],
  ];
}

function processLines(processes: readonly ProcessView[]): Line[] {
  return [
    processLine('process', ['plain', 'state'], 'pid', 'restarts', 'where').map(([, text]): Piece => ['dim', text]),
    ...processes.map(({ name, state, well, pid, restarts, where }) =>
      processLine(name, [well ? 'good' : 'bad', state], pid, String(restarts), where),
    ),
  ];
}

function processLine(name: string, [style, state]: Piece, pid: string, restarts: string, where: string): Line {
  return [
    ['plain', name.padEnd(12)],
    [style, state.padEnd(22)],
    ['plain', `${pid.padStart(8)}  ${restarts.padStart(8)}  ${where}`],
  ];
}

function noticeLine({ atMs, source, text, times }: Notice): Line {
  const at = new Date(atMs).toTimeString().slice(0, 8);
  const repeated = times > 1 ? ` (${times} times)` : '';
  return [
    ['dim', `  ${at} `],
    ['plain', `${source} ${harmless(text)}${repeated}`],
  ];
}

/** Nothing that a log line holds may move the cursor. */
function harmless(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{C}/gu, ' ');
}

function cut(line: Line, columns: number): Line {
  let left = columns;
  return line.map(([style, text]): Piece => {
    const kept = text.slice(0, Math.max(0, left));
    left -= kept.length;
    return [style, kept];
  });
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const parts = [seconds / 3600, (seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(Math.floor(part)).padStart(2, '0')).join(':');
}
