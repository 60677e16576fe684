/** What a script may rely on. docs/operations.md and every `--help` say the same. */
export const exitCode = {
  /** Done, or found. */
  ok: 0,
  /** The answer is no: not found, not retried, expired, configuration invalid. */
  no: 1,
  /** The command line, or the environment it runs in, is wrong. Nothing was done. */
  usage: 2,
  /** No database to talk to. Trying again later may help. */
  unreachable: 3,
  /** The database answered and refused: not migrated, no permission, read-only, too slow. */
  refused: 4,
  /** A fault in this program. */
  fault: 5,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** The part that every command's help has in common. */
export const commonExitCodes: readonly (readonly [ExitCode, string])[] = [
  [exitCode.usage, 'wrong command line or configuration; nothing was done'],
  [exitCode.unreachable, 'no database, or it cannot be reached'],
  [exitCode.refused, 'the database refused: not migrated, no permission, read-only, or too slow'],
  [exitCode.fault, 'a fault in mailroom itself'],
];
