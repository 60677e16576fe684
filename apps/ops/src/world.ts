import type { Terminal } from './terminal/terminal.ts';

/** What a command may know of the process it runs in. Only `main.ts` looks at the real one. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The login name, for the record of operator actions; null where the system has none. */
  readonly user: string | null;
  readonly terminal: Terminal;
  /**
   * Asks to be told once when the process should end (Ctrl-C, SIGTERM), for a command that ends in order. Until somebody asks,
   * such a signal ends the process at once.
   */
  readonly onStop: (listener: () => void) => void;
  /** Who runs: host and process, for what is leased. */
  readonly process: string;
}
