import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { seededRandom } from '../support/seeded-random.ts';
import { type Comparison, compare, differencesOf } from '../traffic/compare.ts';
import { foundRows } from '../traffic/found.ts';
import { printComparison, printTable } from '../traffic/print-comparison.ts';
import { type Fleet } from './fleet.ts';
import { printConnections, printMemory } from './print-samples.ts';
import { type Restart, restartInTurn } from './restarts.ts';
import { type Sample, takeSample, takeSamples } from './samples.ts';
import { createSender, type SenderBooks } from './sender.ts';
import { steadyLoad } from './steady-load.ts';
import { checkDuplicates, expectedAfterRestarts } from './verdict.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly rate: number;
  readonly seed: number;
  readonly url: string;
  readonly secret: string;
  readonly fleet: Fleet;
  readonly client: Client;
  readonly print: (text: string) => void;
}

/** A killed worker's events are taken over after ten seconds; after two minutes something is stuck. */
const quietDeadlineMs = 120_000;
/** Connections that nobody used for half a minute are closed. */
const idleDeadlineMs = 60_000;
/**
 * Half of what the pools may hold: two ingestors with 10 and four workers with 12. Workers look for work on two connections and
 * go on trying the events that always fail, several at a time; the rest must have been given back.
 */
const maxIdleConnections = (2 * 10 + 4 * 12) / 2;

/** Load and restarts, then quiet, then the comparison. Returns what was wrong. */
export async function runSoak(options: SoakOptions): Promise<readonly string[]> {
  const { minutes, seed, fleet, client, print } = options;
  const run = `soak${Date.now().toString(36)}${randomBytes(2).toString('hex')}`;
  const durationMs = minutes * 60_000;
  print(
    `run ${run}, seed ${seed}: ${minutes} minutes, at most ${options.rate} new deliveries a second, ` +
      `two ingestors and four workers, each restarted in turn`,
  );
  const sender = createSender(options);
  const untilMs = performance.now() + durationMs;
  const sampling = new AbortController();
  const sampled = takeSamples(client, fleet, sampling.signal);
  const [, restarts] = await Promise.all([
    steadyLoad({
      ...options,
      run,
      random: seededRandom(seed),
      untilMs,
      deliver: (delivery) => sender.deliver(delivery),
    }),
    restartInTurn({ fleet, random: seededRandom(seed + 1), everyMs: restartEveryMs(durationMs), untilMs }),
  ]);
  sampling.abort();
  const samples = await sampled;
  print(printSent(sender.books, restarts));

  const read = async () => await foundRows(client, run);
  const wanted = expectedAfterRestarts(sender.books.answered);
  const unrest = await untilEqual(async () => compare(wanted, await read()));
  const idle = await untilIdle(client, fleet);
  // Nothing can change any more once they have all ended; this is the comparison that counts.
  await fleet.stop();
  const left = await takeSample(client, fleet);
  const found = await read();
  const comparisons = compare(wanted, found);
  const counted = found.get('inbox_duplicates') ?? new Map<string, never>();
  const duplicates = checkDuplicates(counted, sender.books, restarts, fleet.duplicatesNotCounted());

  print(`\n${printComparison(comparisons)}`);
  print(
    `\nduplicates counted: ${duplicates.found} of ${duplicates.wanted}, and ${duplicates.mayBeLost} may be lost with killed ingestors or a database that was too slow`,
  );
  print(`\n${printMemory(samples)}`);
  print(`\n${printConnections(samples, idle)}`);
  const differences = differencesOf(comparisons).length;
  return [
    ...fleet.problems(),
    ...sender.books.problems,
    ...(sender.books.answered.length === 0 ? ['nothing was delivered'] : []),
    ...(unrest === 0 ? [] : [`not quiet within ${quietDeadlineMs / 1000} s: ${unrest} differences`]),
    ...(differences === 0 ? [] : [`${differences} differences`]),
    ...duplicates.problems,
    ...connectionProblems(idle, left),
  ];
}

/** Often enough that the first round fits, seldom enough that starting processes is not all the machine does. */
function restartEveryMs(durationMs: number): number {
  return Math.min(6_000, durationMs / 9);
}

/** Compares until nothing differs or the deadline has passed; how much differs then. */
async function untilEqual(compareNow: () => Promise<readonly Comparison[]>): Promise<number> {
  const deadlineAtMs = performance.now() + quietDeadlineMs;
  for (;;) {
    const differences = differencesOf(await compareNow()).length;
    if (differences === 0 || performance.now() >= deadlineAtMs) return differences;
    await pause(1_000);
  }
}

async function untilIdle(client: Client, fleet: Fleet): Promise<Sample> {
  const deadlineAtMs = performance.now() + idleDeadlineMs;
  for (;;) {
    const sample = await takeSample(client, fleet);
    const idle = sample.connections <= maxIdleConnections && sample.inTransaction === 0;
    if (idle || performance.now() >= deadlineAtMs) return sample;
    await pause(500);
  }
}

function connectionProblems(idle: Sample, left: Sample): readonly string[] {
  return [
    ...(idle.connections <= maxIdleConnections
      ? []
      : [`${idle.connections} connections when idle, more than ${maxIdleConnections}`]),
    ...(idle.inTransaction === 0 ? [] : [`${idle.inTransaction} transactions open when idle`]),
    ...(left.connections === 0 ? [] : [`${left.connections} connections left after the processes have ended`]),
  ];
}

function printSent({ answers, answered, posts }: SenderBooks, restarts: readonly Restart[]): string {
  const posted = [...answers.values()].reduce((sum, count) => sum + count, 0);
  const byAnswer = [...answers].map(([answer, count]) => `${count} x ${answer}`).toSorted();
  const byName = [...Map.groupBy(restarts, ({ name }) => name)].map(([name, of]) => [
    name,
    String(of.filter(({ signal }) => signal === 'SIGTERM').length),
    String(of.filter(({ signal }) => signal === 'SIGKILL').length),
  ]);
  return [
    `\n${answered.length} deliveries of ${posts.size} events, ${posted} posts (${posted - answered.length} redeliveries): ${byAnswer.join(', ')}\n`,
    ...printTable([`${restarts.length} restarts`, 'SIGTERM', 'SIGKILL'], byName),
  ].join('\n');
}
