import { skipStuck } from '@mailroom/inbox';
import { CodedError, parseEventKey } from '@mailroom/kernel';
import { actorOf } from '../arguments/actor.ts';
import { onlyArgument } from '../arguments/key-argument.ts';
import { given } from '../arguments/option-values.ts';
import { withDatabase } from '../connect.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { visible } from '../terminal/visible.ts';

export const skipCommand: OperatorCommand = {
  name: 'skip',
  summary: 'let the events behind a stuck one overtake it',
  description:
    'For handlers that take the events of an object one at a time: an exhausted or rejected event makes the later ones of its object ' +
    'wait. This lets the next one go; the stuck one stays as it is and can still be retried. On record in operator_actions.',
  examples: [["skip stripe/billing/evt_1 --reason 'superseded by evt_2'", 'the next event of its object goes on']],
  exitCodes: [
    [exitCode.ok, 'the next one may go'],
    [exitCode.no, 'no event waits for this one'],
  ],
  declare: (command) =>
    command
      .argument('<key>', 'provider/endpoint/event_id')
      .requiredOption('--reason <text>', 'why; kept for ever', given)
      .option('--actor <name>', 'who; the login name by default', given),
  run: async ({ world, args, options, json }) => {
    const { reason, actor } = options as { readonly reason: string; readonly actor?: string };
    const key = onlyArgument(args);
    const skipped = await withDatabase(world, (database) =>
      skipStuck(database, parseEventKey(key), actorOf(world, actor), reason).then(() => true, notStuck),
    );
    if (json) world.terminal.json({ key, skipped });
    else
      world.terminal.line(
        skipped ? `the next event of the object of ${visible(key)} may go` : `no event waits for ${visible(key)}`,
      );
    return skipped ? exitCode.ok : exitCode.no;
  },
};

function notStuck(error: unknown): false {
  if (error instanceof CodedError && error.code === 'not_stuck') return false;
  throw error;
}
