import type { Command } from 'commander';
import type { ExitCode } from './exit-code.ts';
import type { World } from './world.ts';

/** One command of the operator. A file in `commands/` exports one, and a line in `registry.ts` makes it known. */
export interface OperatorCommand {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What it guarantees and what it does not, for `--help`. */
  readonly description: string;
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  /** What 0 and 1 mean here. The others are the same for all commands. */
  readonly exitCodes: readonly (readonly [code: ExitCode, meaning: string])[];
  /** Declares arguments and options. `--json` is declared for every command. */
  readonly declare: (command: Command) => void;
  readonly run: (invocation: Invocation) => Promise<ExitCode>;
}

export interface Invocation {
  readonly world: World;
  readonly args: readonly string[];
  /** As commander parsed them; each command knows the type it declared. */
  readonly options: object;
  readonly json: boolean;
}
