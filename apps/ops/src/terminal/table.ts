import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from './terminal.ts';

export interface Column {
  readonly title: string;
  /** Numbers stand right. */
  readonly align?: 'left' | 'right';
}

/**
 * Writes rows under their titles, two spaces apart, no lines drawn: it reads well, greps well and pastes well. In a terminal
 * the last column is cut to the width; in a pipe nothing is. Cells may be painted.
 */
export function writeTable(
  terminal: Terminal,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  indent = '',
): void {
  const widths = columns.map((column, at) => Math.max(column.title.length, ...rows.map((row) => shown(row[at] ?? ''))));
  const line = (cells: readonly string[], paint: (text: string) => string): string => {
    const padded = cells.map((cell, at) => pad(cell, widths[at] ?? 0, columns[at]?.align, at === cells.length - 1));
    return indent + cut(padded, indent.length, terminal.width).map(paint).join('  ').trimEnd();
  };
  terminal.line(
    line(
      columns.map((column) => column.title),
      (text) => terminal.paint('dim', text),
    ),
  );
  for (const row of rows) terminal.line(line(row, (text) => text));
}

/** Writes `name  value` lines with the values under each other; lines without a value are left out. */
export function writeFields(
  terminal: Terminal,
  fields: readonly (readonly [string, string | null])[],
  indent = '',
): void {
  const given = fields.filter((field): field is readonly [string, string] => field[1] !== null);
  const width = Math.max(0, ...given.map(([name]) => name.length));
  for (const [name, value] of given) terminal.line(`${indent}${terminal.paint('dim', name.padEnd(width))}  ${value}`);
}

function shown(cell: string): number {
  return stripVTControlCharacters(cell).length;
}

function pad(cell: string, width: number, align: Column['align'], last: boolean): string {
  const space = ' '.repeat(Math.max(0, width - shown(cell)));
  if (align === 'right') return space + cell;
  return last ? cell : cell + space;
}

function cut(cells: readonly string[], indent: number, width: number | null): readonly string[] {
  const last = cells.at(-1);
  if (width === null || last === undefined) return cells;
  const before = cells.slice(0, -1);
  const room = width - indent - before.reduce((sum, cell) => sum + shown(cell) + 2, 0);
  // Below a dozen characters a cut text says nothing, so the terminal may wrap it instead.
  if (shown(last) <= room || room < 12) return cells;
  return [...before, `${stripVTControlCharacters(last).slice(0, room - 1)}…`];
}
