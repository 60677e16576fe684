import { writeSync } from 'node:fs';
import { styleText } from 'node:util';
import { drawFrame, type Line, type Style, type View } from './frame.ts';

/** The live screen of a terminal. */
export interface Screen {
  /** Gives the terminal back as it was. May be called again. */
  close(): void;
}

// xterm control sequences: the alternate screen leaves what was on the terminal untouched; without automatic wrapping a line
// that is wider than it seems (a wide character) cannot push the others down.
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const leave = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const home = '\u001b[H';
const clearToEndOfLine = '\u001b[K';
const clearBelow = '\u001b[J';

const redrawEveryMs = 1_000;

/** Draws `view()` once a second and when the window changes its size, in place, until closed. */
export function openScreen(terminal: NodeJS.WriteStream, view: () => View): Screen {
  let open = true;
  terminal.write(enter);
  const redraw = (): void => void terminal.write(frameText(terminal, view()));
  const timer = setInterval(redraw, redrawEveryMs);
  terminal.on('resize', redraw);
  // Whatever ends this process, a crash included, the terminal is given back.
  process.on('exit', close);
  redraw();
  return { close };

  function close(): void {
    if (!open) return;
    open = false;
    clearInterval(timer);
    terminal.off('resize', redraw);
    process.off('exit', close);
    writeSync(process.stdout.fd, leave);
  }
}

function frameText(terminal: NodeJS.WriteStream, view: View): string {
  // A terminal that does not know its size says 0.
  const lines = drawFrame(view, terminal.columns || 80, terminal.rows || 24);
  // Cleared before it is written: after a line that fills the width the cursor stands on its last character.
  return `${home}${lines.map((line) => clearToEndOfLine + paint(line, terminal)).join('\r\n')}${clearBelow}`;
}

const formats: Readonly<Record<Style, 'reset' | 'bold' | 'dim' | 'green' | 'red'>> = {
  plain: 'reset',
  bold: 'bold',
  dim: 'dim',
  good: 'green',
  bad: 'red',
};

function paint(line: Line, stream: NodeJS.WriteStream): string {
  return line.map(([style, text]) => (style === 'plain' ? text : styleText(formats[style], text, { stream }))).join('');
}
