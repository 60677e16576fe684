import { styleText } from 'node:util';

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';

/** Where a command writes. Answers go to standard output, remarks about them to standard error. */
export interface Terminal {
  /** One line of the answer. */
  line(text?: string): void;
  /** One line about the answer. */
  note(text: string): void;
  /** The answer as one JSON document; a `bigint` is written as a string, a `Date` as ISO 8601 in UTC. */
  json(document: unknown): void;
  /** Bytes of the answer, unchanged. */
  bytes(bytes: Buffer): void;
  raw(text: string): void;
  rawNote(text: string): void;
  /** Styles a piece of the answer where standard output shows colours (a terminal, and `NO_COLOR` not set). */
  paint(style: Style, text: string): string;
  /** A line about how far things are, over the one before; null takes it away. Nothing where standard output is no terminal. */
  progress(text: string | null): void;
  /** Columns of the terminal; null where the answer goes to a file or a pipe and must not be cut. */
  readonly width: number | null;
}

/** `onBroken` is told when an output cannot be written, for example because the disk is full. */
export function openTerminal(
  output: NodeJS.WriteStream,
  notes: NodeJS.WriteStream,
  onBroken: (error: Error) => void,
): Terminal {
  for (const stream of [output, notes]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // `| head` closes the pipe early. What was asked is still done, quietly, and the exit code still tells how it went.
      if (error.code !== 'EPIPE') onBroken(error);
    });
  }
  return {
    line: (text = '') => void output.write(`${text}\n`),
    note: (text) => void notes.write(`${text}\n`),
    json: (document) => void output.write(`${JSON.stringify(document, withoutLoss, 2)}\n`),
    bytes: (bytes) => void output.write(bytes),
    raw: (text) => void output.write(text),
    rawNote: (text) => void notes.write(text),
    paint: (style, text) => styleText(style, text, { stream: output }),
    progress: (text) => {
      if (output.isTTY && notes.isTTY) notes.write(`\r\x1b[2K${(text ?? '').slice(0, notes.columns - 1)}`);
    },
    width: output.isTTY ? output.columns : null,
  };
}

function withoutLoss(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
