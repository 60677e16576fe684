import { printTable } from './print-comparison.ts';
import type { Answered } from './send-storm.ts';
import type { Scenario } from './storm-delivery.ts';

/** The deliveries that did not get the answer they had to get. */
export function unexpectedAnswers(answered: readonly Answered[]): readonly Answered[] {
  return answered.filter(({ delivery, answer }) => answer !== delivery.answer);
}

/** One line a scenario: what was sent, what came back, how much of it should not have. */
export function printAnswers(scenarios: readonly Scenario[], answered: readonly Answered[]): string {
  const rows = scenarios.map(({ name }) => {
    const of = answered.filter(({ scenario }) => scenario === name);
    const byAnswer = [...Map.groupBy(of, ({ answer }) => answer)];
    const came = byAnswer.map(([answer, each]) => `${each.length} x ${answer}`).toSorted();
    const unexpected = unexpectedAnswers(of).length;
    return [name, String(of.length), came.join(', '), unexpected === 0 ? 'none' : String(unexpected)];
  });
  return printTable(['scenario', 'sent', 'answers', 'unexpected'], rows).join('\n');
}
