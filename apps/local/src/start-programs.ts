import type { Logging } from './logging.ts';
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
    readonly logging: Logging;
    readonly onStart: (supervised: Supervised) => void;
    readonly say: (line: string) => void;
    /** How long each may take to stop before it is killed, milliseconds. */
    readonly stopWithinMs: number;
  },
): readonly Supervised[] {
  const { teardown, logging, say } = context;
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
    const output = logging.openOutput(program.name);
    const supervised = supervise(program, {
      onLine: output.line,
      onNotice: (notice) => logging.notices.add('local', notice),
    });
    context.onStart(supervised);
    return supervised;
  }
}
