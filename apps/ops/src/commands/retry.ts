import { type RetryOutcome, retryEvents } from '@mailroom/inbox';
import { parseEventKey } from '@mailroom/kernel';
import { actorOf } from '../arguments/actor.ts';
import { given } from '../arguments/option-values.ts';
import { withDatabase } from '../connect.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { writeTable } from '../terminal/table.ts';
import { visible } from '../terminal/visible.ts';

interface RetryOptions {
  readonly reason: string;
  readonly actor?: string;
}

export const retryCommand: OperatorCommand = {
  name: 'retry',
  summary: 'start events again from zero',
  description:
    'Makes unfinished events pending and due at once, with all their attempts. Never touches an event that is finished, leased ' +
    'or being worked on, nor one whose body has expired. What failed before stays on record, and so does who retried what and why (operator_actions). ' +
    'Every key is answered; one that is refused keeps none of the others back.',
  examples: [
    ["retry stripe/billing/evt_1PqX --reason 'orders table restored'", 'one event'],
    ["retry stripe/billing/evt_1 stripe/billing/evt_2 --reason 'deployed 4f2a' --actor on-call", 'several'],
  ],
  exitCodes: [
    [exitCode.ok, 'every key was retried'],
    [exitCode.no, 'at least one was not; the output says which and why'],
  ],
  declare: (command) =>
    command
      .argument('<keys...>', 'provider/endpoint/event_id')
      .requiredOption('--reason <text>', 'why; kept for ever', given)
      .option('--actor <name>', 'who; the login name by default', given),
  run: async ({ world, args, options, json }) => {
    const { reason, actor: named } = options as RetryOptions;
    const actor = actorOf(world, named);
    const keys = args.map(parseEventKey);
    const results = await withDatabase(world, (database) => retryEvents(database, { keys, actor, reason }));
    const retried = results.filter(({ outcome }) => outcome === 'retried').length;
    if (json) world.terminal.json({ results, retried, refused: results.length - retried });
    else {
      writeTable(
        world.terminal,
        [{ title: 'OUTCOME' }, { title: 'KEY' }, { title: '' }],
        results.map(({ key, outcome }) => [
          world.terminal.paint(outcome === 'retried' ? 'green' : 'red', outcome),
          visible(key),
          meanings[outcome],
        ]),
      );
    }
    return retried === results.length ? exitCode.ok : exitCode.no;
  },
};

const meanings: Readonly<Record<RetryOutcome, string>> = {
  retried: 'due now, all attempts ahead of it',
  processed: 'refused: its effect is committed; it must not happen twice',
  ignored: 'refused: finished, a handler decided there is nothing to do',
  quarantined: 'refused: its body could not be read; retrying cannot help',
  body_expired: 'refused: its body has expired, so a handler would have nothing to read',
  leased: 'refused: a worker has it, or has not been relieved of it yet; show says who',
  not_found: 'refused: the ledger has no event of this key',
};
