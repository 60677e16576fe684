import type { Terminal } from '../terminal/terminal.ts';

/** A section's title after an empty line. */
export function heading(terminal: Terminal, title: string, remark = ''): void {
  terminal.line();
  terminal.line(terminal.paint('bold', title) + (remark === '' ? '' : `  ${terminal.paint('dim', remark)}`));
}
