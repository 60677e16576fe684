import type { Notices } from './notices.ts';
import type { ProgramOutput } from './program-output.ts';
import type { Programs } from './programs.ts';
import { type Program, type Supervised, supervise } from './supervise.ts';
import type { Teardown } from './teardown.ts';

/**
 * Starts the workers, then the ingestor, and stops them the other way round: first nothing new is acknowledged, then every
 * worker finishes what it has. `onStart` hears of each program at once.
 */
export function startPrograms(
  wanted: Programs,
  context: {
    readonly teardown: Teardown;
    readonly notices: Notices;
    readonly openOutput: (name: string) => ProgramOutput;
    readonly onStart: (supervised: Supervised) => void;
    readonly say: (line: string) => void;
    /** How long each may take to stop before it is killed, milliseconds. */
    readonly stopWithinMs: number;
  },
): readonly Supervised[] {
  const { teardown, notices, say } = context;
  const workers = startGroup(wanted.workers);
  const [ingest] = startGroup([wanted.ingest]);
  return ingest ? [ingest, ...workers] : workers;

  function startGroup(programs: readonly Program[]): readonly Supervised[] {
    const group = programs.map(start);
    teardown.add(async () => {
      say(`stopping ${programs.map(({ name }) => name).join(' and ')} ...`);
      await Promise.all(group.map((each) => each.stop(context.stopWithinMs)));
    });
    return group;
  }

  function start(program: Program): Supervised {
    const output = context.openOutput(program.name);
    const supervised = supervise(program, {
      onLine: output.line,
      onNotice: (notice) => notices.add('local', notice),
    });
    context.onStart(supervised);
    return supervised;
  }
}
