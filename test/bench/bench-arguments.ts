import { parseArgs } from 'node:util';

export interface BenchArguments {
  /** Sections to run; empty: all. */
  readonly only: readonly string[];
  readonly match: string;
  readonly quick: boolean;
  readonly json: boolean;
  readonly huge: boolean;
  readonly rounds: number;
  readonly rows: number | null;
  readonly profiles: string | null;
  /** Where figures, plots and tables go; null: nowhere. */
  readonly write: boolean;
}

export const usage = `npm run bench [-- options]
  --only NAME    this section only; may be given several times
  --match TEXT   of those that are compared, only the ones whose name holds it, for example Mailroom
  --quick        small amounts, one round: shows that everything works and ends right; its figures mean nothing
  --json         the figures as JSON on standard output, everything else on standard error
  --rounds N     default 5, with --quick 1
  --huge         also what takes many minutes and gigabytes (five million rows; ten million to prune: some 35 GB)
  --rows N       so many old events for the section prune (some 3.5 GB a million)
  --write        put figures, plots and tables into docs/benchmarks
  --cpu-prof DIR a CPU profile of every measured process
`;

/** Throws with what is wrong. */
export function readArguments(given: readonly string[], sections: readonly string[]): BenchArguments {
  const { values } = parseArgs({
    args: [...given],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      match: { type: 'string', default: '' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      huge: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      rows: { type: 'string' },
      write: { type: 'boolean', default: false },
      'cpu-prof': { type: 'string' },
    },
  });
  const unknown = values.only.filter((name) => !sections.includes(name));
  if (unknown.length > 0) throw new Error(`no section ${unknown.join(', ')}; there are ${sections.join(', ')}`);
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds wants a whole number from 1');
  const rows = values.rows === undefined ? null : Number(values.rows);
  if (rows !== null && (!Number.isInteger(rows) || rows < 1)) throw new Error('--rows wants a whole number from 1');
  const isWhole = !values.quick && values.match === '';
  if (values.write && !isWhole) throw new Error('--quick and --match measure nothing worth writing down');
  const { only, match, quick, json, huge, write } = values;
  return { only, match, quick, json, huge, rounds, rows, write, profiles: values['cpu-prof'] ?? null };
}
