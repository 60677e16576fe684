import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Fault } from './fault.ts';
import { faults } from './faults.ts';
import { faultTable, printReport } from './print-report.ts';
import { runChaos } from './run-chaos.ts';

const help = `Posts signed Stripe events through two ingestors to four workers while an adversary breaks whatever it can, then compares
the database with what must be there.

  npm run chaos -- --minutes N [--seed S] [--requests N] [--only FAULT] [--json FILE]

  --minutes N    how long it lasts; fractions too. Every fault happens at least once, which takes most of a minute
  --seed S       decides what is posted and which faults happen in which order; default: another one every time, printed
  --requests N   goes on until so many posts were made; default: 200 for every second
  --only FAULT   this fault and no other; may be given again
  --json FILE    writes the report there too
  --help         this

Faults:
${faults.map(({ name, does }) => `  ${name}\n      ${does}`).join('\n')}

Exit codes: 0 all is well; 1 something is not as it must be, and the logs are kept; 2 a mistake in the call.`;

// The processes, the database and its disk end with this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = await main();

async function main(): Promise<number> {
  const given = readArguments();
  if ('problem' in given) {
    process.stderr.write(`${given.problem}\n\n${help}\n`);
    return 2;
  }
  if (given.help) {
    print(help);
    return 0;
  }
  const report = await runChaos({ ...given, repository: fileURLToPath(new URL('../../', import.meta.url)), print });
  print(printReport(report));
  if (given.json !== null) {
    writeFileSync(given.json, `${JSON.stringify({ ...report, table: faultTable(report) }, null, 2)}\n`);
  }
  return report.differences.length + report.problems.length === 0 ? 0 : 1;
}

interface Arguments {
  readonly help: boolean;
  readonly minutes: number;
  readonly seed: number;
  readonly requests: number;
  readonly faults: readonly Fault[];
  readonly json: string | null;
}

function readArguments(): Arguments | { readonly problem: string } {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string' },
        seed: { type: 'string', default: String(randomBytes(4).readUInt32LE()) },
        requests: { type: 'string' },
        only: { type: 'string', multiple: true },
        json: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    const minutes = Number(values.minutes ?? (values.help ? 1 : Number.NaN));
    const seed = Number(values.seed);
    const requests = Number(values.requests ?? Math.round(minutes * 60 * 200));
    if (!(minutes > 0)) return { problem: '--minutes must be a number above 0' };
    if (!Number.isSafeInteger(seed) || seed < 0) return { problem: '--seed must be a whole number' };
    if (!Number.isSafeInteger(requests) || requests < 1)
      return { problem: '--requests must be a whole number above 0' };
    const only = values.only ?? [];
    const unknown = only.find((name) => !faults.some((fault) => fault.name === name));
    if (unknown !== undefined) return { problem: `there is no fault "${unknown}"` };
    const chosen = faults.filter(({ name }) => only.length === 0 || only.includes(name));
    return { help: values.help, minutes, seed, requests, faults: chosen, json: values.json ?? null };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
