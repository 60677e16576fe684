import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { compare, differencesOf } from './compare.ts';
import { expectedRows } from './expected.ts';
import { foundRows } from './found.ts';
import { printComparison, printTable } from './print-comparison.ts';
import { untilQuiet } from './quiet.ts';
import { type Answered, sendStorm } from './send-storm.ts';
import { deliveriesOf } from './storm-delivery.ts';
import { planStorm } from './storm-plan.ts';
import type { Target } from './target.ts';

/** Sends the storm, waits until it is worked off, compares the database with what must be there. Returns whether all is right. */
export async function storm(target: Target, databaseUrl: string, print: (text: string) => void): Promise<boolean> {
  // Every run has ids of its own, so that it can be repeated on one database.
  const run = `storm${Date.now().toString(36)}${randomBytes(2).toString('hex')}`;
  const scenarios = planStorm(run, Date.now());
  const deliveries = deliveriesOf(scenarios);
  const client = new Client({ connectionString: databaseUrl, application_name: 'mailroom-storm' });
  // Before anything is sent: a storm that could not be checked would prove nothing.
  await client.connect();
  try {
    print(`run ${run}: ${deliveries.length} deliveries to ${target.url}`);
    const startedAtMs = performance.now();
    const answered = await sendStorm(scenarios, target);
    print(`answered in ${seconds(startedAtMs)} s\n`);
    print(printAnswers(answered));

    const wanted = expectedRows(deliveries);
    const events = wanted.get('webhook_inbox')?.size ?? 0;
    const accepted = deliveries.filter(({ answer }) => answer === 200).length;
    const unrest = await untilQuiet(client, run, { events, duplicates: accepted - events });
    print(`\nworked off ${seconds(startedAtMs)} s after the first delivery\n`);

    const comparisons = compare(wanted, await foundRows(client, run));
    print(printComparison(comparisons));
    const wrongAnswers = answered.filter(({ delivery, answer }) => answer !== delivery.answer).length;
    const problems = [
      ...(unrest === null ? [] : [unrest]),
      ...(wrongAnswers === 0 ? [] : [`${wrongAnswers} unexpected answers`]),
      ...(differencesOf(comparisons).length === 0 ? [] : [`${differencesOf(comparisons).length} differences`]),
    ];
    print(problems.length === 0 ? '\nThe database holds exactly what was posted.' : `\nWRONG: ${problems.join('; ')}`);
    return problems.length === 0;
  } finally {
    await client.end();
  }
}

/** One line a scenario: what was sent, what came back, and what came back although it should not have. */
function printAnswers(answered: readonly Answered[]): string {
  const rows = [...Map.groupBy(answered, ({ scenario }) => scenario)].map(([scenario, of]) => {
    const wrong = of.filter(({ delivery, answer }) => answer !== delivery.answer);
    const came = [...Map.groupBy(of, ({ answer }) => answer)].map(([answer, each]) => `${each.length} x ${answer}`);
    return [
      scenario,
      String(of.length),
      came.toSorted().join(', '),
      wrong.length === 0 ? 'none' : String(wrong.length),
    ];
  });
  return printTable(['scenario', 'sent', 'answers', 'unexpected'], rows).join('\n');
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(1);
}
