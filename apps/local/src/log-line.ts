/**
 * What a person should see of a line that a program wrote: its warnings and errors in one line each, and whatever is not one
 * of its log lines, for that is a crash or a complaint of Node itself. null: nothing.
 */
export function noteworthy(line: string): string | null {
  const text = line.trim();
  const record = recordIn(text);
  if (!record) return saysNothing.test(text) ? null : text.slice(0, maxShown);
  const { level, event } = record;
  if (level !== 'warn' && level !== 'error') return null;
  const { error, ...others } = record;
  // The reason first: a narrow screen shows little of a line.
  const fields = Object.entries(error === undefined ? others : { error: reasonOf(error), ...others });
  const shown = fields.filter(([name, value]) => !unshown.has(name) && value !== null);
  return [level, show(event), ...shown.map(([name, value]) => `${name}=${show(value)}`)].join(' ').slice(0, maxShown);
}

function recordIn(text: string): LogRecord | null {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text) as LogRecord;
  } catch {
    return null;
  }
}

/** An error is logged as its message, or as an object that has one. */
function reasonOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

interface LogRecord {
  readonly level?: unknown;
  readonly event?: unknown;
  readonly error?: unknown;
}

// Frames of a stack, and lines without a word.
const saysNothing = /^at |^\W*$/;

// Longer tells nothing more at a glance; the log file has the whole line.
const maxShown = 400;

// What a person at this screen knows already, or needs the log file for.
const unshown = new Set(['level', 'time', 'name', 'pid', 'host', 'event', 'stack']);
