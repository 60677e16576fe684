import type { Terminal } from './terminal/terminal.ts';

/** What a command may know of the process it runs in. Only `main.ts` looks at the real one. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The login name, for the record of operator actions; null where the system has none. */
  readonly user: string | null;
  readonly terminal: Terminal;
}
