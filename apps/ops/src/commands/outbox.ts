import { CodedError } from '@mailroom/kernel';
import { type OutboxAction, type OutboxActionOutcome, retryMessages, skipMessages } from '@mailroom/outbox';
import { Argument } from 'commander';
import { actorOf } from '../arguments/actor.ts';
import { given, pageSize } from '../arguments/option-values.ts';
import { withDatabase } from '../connect.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import type { Invocation, OperatorCommand } from '../operator-command.ts';
import { databaseClock } from '../queries/database-clock.ts';
import { unroutedTopics, unsentMessages } from '../queries/unsent-messages.ts';
import { readOnly } from '../read-only.ts';
import { writeTable } from '../terminal/table.ts';
import { visible } from '../terminal/visible.ts';
import { writeUnsent } from '../views/outbox-view.ts';

interface OutboxOptions {
  readonly limit: number;
  readonly ids?: boolean;
  readonly reason?: string;
  readonly actor?: string;
}

export const outboxCommand: OperatorCommand = {
  name: 'outbox',
  summary: 'messages that have not left, and why; send one again or give it up',
  description:
    'Without an action: the message at the front of each aggregate that waits, why, and when it is tried next; then the topics ' +
    'that no sink takes. retry makes messages due at once with all their attempts. skip gives them up for good, so that what ' +
    'is behind them goes on. Neither touches a message that is being sent. Both are on record in operator_actions.',
  examples: [
    ['outbox', 'what is stuck or waits'],
    ["outbox retry 4711 --reason 'the receiver is up again'", 'one message'],
    ["outbox skip 4711 --reason 'sent by hand'", 'what is behind it goes on'],
    ['outbox --ids', 'only the ids of those that need review, one a line, for xargs'],
  ],
  exitCodes: [
    [exitCode.ok, 'listed; or every id was retried or skipped'],
    [exitCode.no, 'at least one id was not; the output says which and why'],
  ],
  declare: (command) =>
    command
      .addArgument(new Argument('[action]', 'what to do').choices(['retry', 'skip']))
      .argument('[ids...]', 'outbox ids, as the list shows them')
      .option('--reason <text>', 'why; kept for ever; retry and skip need it', given)
      .option('--actor <name>', 'who; the login name by default', given)
      .option('--limit <rows>', 'rows of the list, 1 to 1000', pageSize, 50)
      .option('--ids', 'only the ids of messages that need review'),
  run: (invocation) => (invocation.args.length === 0 ? list(invocation) : act(invocation)),
};

async function list({ world, options, json }: Invocation): Promise<ExitCode> {
  const { limit, ids } = options as OutboxOptions;
  const found = await withDatabase(world, (database) =>
    readOnly(database, async (tx) => ({
      messages: await unsentMessages(tx, limit),
      unrouted: await unroutedTopics(tx),
      now: await databaseClock(tx),
    })),
  );
  const { terminal } = world;
  if (json) terminal.json({ messages: found.messages, unrouted: found.unrouted });
  else if (ids) {
    for (const { id, state } of found.messages) if (state === 'needs_review') terminal.line(id);
  } else if (found.messages.length + found.unrouted.length === 0) terminal.line('every message has left');
  else writeUnsent(terminal, found);
  return exitCode.ok;
}

async function act({ world, args, options, json }: Invocation): Promise<ExitCode> {
  const [name, ...ids] = args;
  const { reason, actor } = options as OutboxOptions;
  if (reason === undefined) throw new CodedError('usage', `${name} needs --reason 'why'.`);
  if (ids.length === 0)
    throw new CodedError('usage', `say which messages to ${name}: outbox ids, as the list shows them.`);
  const wrong = ids.find((id) => !/^[1-9]\d{0,17}$/.test(id));
  if (wrong !== undefined) throw new CodedError('usage', `"${visible(wrong)}" is not an outbox id, which is a number.`);
  const action: OutboxAction = { ids, reason, actor: actorOf(world, actor) };
  const results = await withDatabase(world, (database) =>
    name === 'retry' ? retryMessages(database, action) : skipMessages(database, action),
  );
  const done = results.filter(({ outcome }) => outcome === 'done').length;
  if (json) world.terminal.json({ results, done, refused: results.length - done });
  else {
    const verb = name === 'retry' ? 'retried' : 'skipped';
    writeTable(
      world.terminal,
      [{ title: 'OUTCOME' }, { title: 'ID' }, { title: '' }],
      results.map(({ id, outcome }) => [
        world.terminal.paint(outcome === 'done' ? 'green' : 'red', outcome === 'done' ? verb : outcome),
        id,
        outcome === 'done' ? doneMeanings[verb] : refusals[outcome],
      ]),
    );
  }
  return done === results.length ? exitCode.ok : exitCode.no;
}

const doneMeanings = {
  retried: 'due now, all attempts ahead of it',
  skipped: 'given up; what is behind it goes on',
} as const;

const refusals: Readonly<Record<Exclude<OutboxActionOutcome, 'done'>, string>> = {
  claimed: 'refused: a worker is sending it right now; look again',
  held: 'refused: it waits behind an earlier message of its aggregate; retry that one',
  published: 'refused: it was sent; a receiver has it',
  skipped: 'refused: it was given up, and later ones may have left',
  not_found: 'refused: the outbox has no such message',
};
