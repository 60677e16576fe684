import { endPause } from '@mailroom/inbox';
import { CodedError } from '@mailroom/kernel';
import { actorOf } from '../arguments/actor.ts';
import { given } from '../arguments/option-values.ts';
import { withDatabase } from '../connect.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { visible } from '../terminal/visible.ts';

export const resumeCommand: OperatorCommand = {
  name: 'resume',
  summary: 'end a pause',
  description: 'The events that waited are released by the workers within seconds. On record in operator_actions.',
  examples: [["resume 7 --reason 'ledger is open again'", 'the pause 7; pauses lists them']],
  exitCodes: [
    [exitCode.ok, 'ended'],
    [exitCode.no, 'there is no such pause in force'],
  ],
  declare: (command) =>
    command
      .argument('<id>', 'the number that pauses shows')
      .requiredOption('--reason <text>', 'why; kept for ever', given)
      .option('--actor <name>', 'who; the login name by default', given),
  run: async ({ world, args, options, json }) => {
    const { reason, actor } = options as { readonly reason: string; readonly actor?: string };
    const id = args[0] ?? '';
    if (!/^\d{1,18}$/.test(id))
      throw new CodedError('usage', `${visible(id)} is not the number of a pause; pauses lists them.`);
    const ended = await withDatabase(world, (database) =>
      endPause(database, id, actorOf(world, actor), reason).then(() => true, noSuchPause),
    );
    if (json) world.terminal.json({ pauseId: id, ended });
    else
      world.terminal.line(
        ended ? `pause ${id} has ended; its events are released within seconds` : `there is no pause ${id} in force`,
      );
    return ended ? exitCode.ok : exitCode.no;
  },
};

function noSuchPause(error: unknown): false {
  if (error instanceof CodedError && error.code === 'no_such_pause') return false;
  throw error;
}
