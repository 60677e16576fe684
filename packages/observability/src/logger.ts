import type { LogFields, Logger } from '@mailroom/kernel';
import { pino } from 'pino';
import { cleanFields } from './clean-fields.ts';
import { createScrubber } from './scrub.ts';

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Which process logs: `ingest`, `worker`, ... */
  readonly name: string;
  /** Where lines go, each ending with a line break. Default: standard output, written at once, so that a crash loses none. */
  readonly destination?: { write(line: string): void };
  /** Texts to strike out of every line wherever they appear: the configured secrets. Shorter than six characters: not struck. */
  readonly secrets?: readonly string[];
}

export interface ServiceLogger extends Logger {
  /** The same logger with fields that go into every line. */
  child(bindings: LogFields): ServiceLogger;
  /** More texts to strike out of every line from now on, those of child loggers too: secrets that were read again. */
  hide(secrets: readonly string[]): void;
}

/**
 * Logs JSON, one line an event: `level`, `time` (ISO 8601, UTC), `name`, `pid`, `host`, `event`, then the fields.
 *
 * A second defence stands behind the rule that nobody logs payloads, signatures, secrets or personal data: fields whose
 * names speak of them are redacted at any depth, patterns that look like them are struck out of texts, errors are cut to
 * what is safe to print, texts and nesting are bounded. Logging never throws.
 */
export function createLogger(options: LoggerOptions): ServiceLogger {
  const { scrub, hide } = createScrubber(options.secrets ?? []);
  const sink = pino(
    {
      level: options.level,
      name: options.name,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        bindings: ({ name, pid, hostname }: Record<string, unknown>) => ({ name, pid, host: hostname }),
      },
    },
    options.destination ?? pino.destination({ fd: 1, sync: true }),
  );
  return wrap({});

  function wrap(bindings: Record<string, unknown>): ServiceLogger {
    const write =
      (level: 'debug' | 'info' | 'warn' | 'error') =>
      (event: string, fields: LogFields = {}): void => {
        if (!sink.isLevelEnabled(level)) return;
        sink[level]({ event: scrub(event), ...bindings, ...printable(fields) });
      };
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (more) => wrap({ ...bindings, ...printable(more) }),
      hide,
    };
  }

  /** A field that cannot be read (a getter or a toJSON that throws) costs the line its fields, never the caller its work. */
  function printable(fields: LogFields): Record<string, unknown> {
    try {
      return cleanFields(fields, scrub);
    } catch {
      return { fields: '[unprintable]' };
    }
  }
}
