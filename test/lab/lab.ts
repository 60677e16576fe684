import { parseArgs } from 'node:util';
import type { LabServer } from './bench.ts';
import type { Pattern } from './pattern.ts';
import { type Result, runPattern } from './run-pattern.ts';
import { type Paint, tableFoot, tableHead, tableRows } from './table.ts';

const help = `Runs each wrong way beside the right one, against a real PostgreSQL, and compares with what the documentation says.

  npm run lab                                 all patterns
  npm run lab -- --only NAME                  this pattern; may be given again
  npm run lab -- --explain                    with the reason of each, and where the product does it right
  npm run lab -- --json                       the results as JSON

The database is an embedded one in a temporary folder, or the server of TEST_DATABASE_URL. docs/lab.md has all of it to read.

Exit codes: 0 all is as documented; 1 something differs; 2 a mistake in the call; 130 interrupted.`;

export interface LabWorld {
  readonly patterns: readonly Pattern[];
  /** Called once there is something to run. */
  readonly server: () => Promise<LabServer>;
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
  readonly paint: Paint;
  /** Nothing new is begun once it is aborted; what is begun is finished and cleared away. */
  readonly signal: AbortSignal;
}

/** Does what the arguments say; answers the exit code. */
export async function lab(args: readonly string[], world: LabWorld): Promise<number> {
  let asked: Asked;
  try {
    asked = read(args, world.patterns);
  } catch (error) {
    world.complain(error instanceof Error ? error.message : String(error));
    return 2;
  }
  if (asked.help) {
    world.print(help);
    return 0;
  }
  const results = await run(asked, world);
  if (asked.json) world.print(JSON.stringify(results, null, 2));
  if (world.signal.aborted) return 130;
  return results.every(({ verdict }) => verdict !== 'differs') ? 0 : 1;
}

interface Asked {
  readonly patterns: readonly Pattern[];
  readonly explain: boolean;
  readonly json: boolean;
  readonly help: boolean;
}

function read(args: readonly string[], patterns: readonly Pattern[]): Asked {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      explain: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { only, ...rest } = values;
  const unknown = only.filter((name) => !patterns.some((pattern) => pattern.name === name));
  if (unknown.length > 0) {
    const known = patterns.map(({ name }) => `  ${name}`).join('\n');
    throw new Error(`There is no pattern "${unknown.join('", "')}". There are:\n${known}`);
  }
  return { ...rest, patterns: only.length === 0 ? patterns : patterns.filter(({ name }) => only.includes(name)) };
}

async function run({ patterns, explain, json }: Asked, world: LabWorld): Promise<Result[]> {
  const print = (lines: readonly string[]) => {
    if (!json) for (const line of lines) world.print(line);
  };
  const server = await world.server();
  print(tableHead(world.paint));
  const all: Result[] = [];
  for (const pattern of patterns) {
    if (world.signal.aborted) break;
    const results = await runPattern(server, pattern);
    all.push(...results);
    print(tableRows(pattern, results, explain, world.paint));
  }
  print(tableFoot(all, world.paint));
  return all;
}
