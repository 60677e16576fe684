/** Fields of one log line. Never payloads, signatures, secrets or personal data. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * What the packages log through; the apps supply pino. `event` is a stable name from the table of log events, not a
 * sentence; `fields` carries what varies.
 */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** Says nothing. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
