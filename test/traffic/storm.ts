import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { compare, differencesOf } from './compare.ts';
import { expectedRows } from './expected.ts';
import { foundRows } from './found.ts';
import { printAnswers, unexpectedAnswers } from './print-answers.ts';
import { printComparison } from './print-comparison.ts';
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
    print(printAnswers(scenarios, answered));

    const unrest = await untilQuiet(client, run, acknowledged(answered));
    print(`\nworked off ${seconds(startedAtMs)} s after the first delivery\n`);

    const comparisons = compare(expectedRows(deliveries), await foundRows(client, run));
    print(printComparison(comparisons));
    const unexpected = unexpectedAnswers(answered).length;
    const differences = differencesOf(comparisons).length;
    const problems = [
      ...(unrest === null ? [] : [unrest]),
      ...(unexpected === 0 ? [] : [`${unexpected} unexpected answers`]),
      ...(differences === 0 ? [] : [`${differences} differences`]),
    ];
    print(problems.length === 0 ? '\nThe database holds exactly what was posted.' : `\nWRONG: ${problems.join('; ')}`);
    return problems.length === 0;
  } finally {
    await client.end();
  }
}

/** What must come to rest: only what was acknowledged, so that a storm that was refused altogether does not wait for it. */
function acknowledged(answered: readonly Answered[]): { readonly events: number; readonly duplicates: number } {
  const ids = answered.filter(({ answer }) => answer === 200).map(({ delivery }) => delivery.event.id);
  const events = new Set(ids).size;
  return { events, duplicates: ids.length - events };
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(1);
}
