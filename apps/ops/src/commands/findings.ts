import { loadConfig } from '@mailroom/config';
import { createReceiver } from '@mailroom/inbox';
import { CodedError } from '@mailroom/kernel';
import { providers } from '@mailroom/providers';
import { closeFinding, type Finding, type FindingAct, listFindings, repairFinding } from '@mailroom/reconcile';
import { Argument } from 'commander';
import { actorOf } from '../arguments/actor.ts';
import { given, pageSize } from '../arguments/option-values.ts';
import { withDatabase } from '../connect.ts';
import { schemeOfEndpoint } from '../endpoint-scheme.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import type { Invocation, OperatorCommand } from '../operator-command.ts';
import { readOnly } from '../read-only.ts';
import { receiverOptions } from '../reconcile/reconcile-events.ts';
import { typed } from '../terminal/typed.ts';
import { writeFinding, writeFindings } from '../views/findings-view.ts';
import type { World } from '../world.ts';

interface FindingsOptions {
  readonly all?: boolean;
  readonly limit: number;
  readonly reason?: string;
  readonly actor?: string;
}

export const findingsCommand: OperatorCommand = {
  name: 'findings',
  summary: 'what differs from the providers; repair it or close it',
  description:
    'What reconcile state and reconcile subscriptions have found. repair lets the object in as the provider showed it, as an ' +
    'event with the origin reconcile, so that the handlers mend our copy; the finding is closed by the next clean comparison. ' +
    'close says that a person has dealt with it; it is opened again when it is seen again. Both are on record in operator_actions.',
  examples: [
    ['findings', 'the open ones'],
    ['findings show 12', 'one of them, whole'],
    ["findings repair 12 --reason 'lost in the outage'", 'let the object in'],
    ["findings close 12 --reason 'refunded by hand'", 'a person has dealt with it'],
  ],
  exitCodes: [
    [exitCode.ok, 'listed, repairing or closed'],
    [exitCode.no, 'there is no such open finding, it has no repair, or this repair has come in before'],
  ],
  declare: (command) =>
    command
      .addArgument(new Argument('[action]', 'what to do').choices(['list', 'show', 'repair', 'close']))
      .argument('[id]', 'the number of one')
      .option('--all', 'closed ones too')
      .option('--limit <rows>', 'rows of the list, 1 to 1000', pageSize, 50)
      .option('--reason <text>', 'why; kept for ever; repair and close need it', given)
      .option('--actor <name>', 'who; the login name by default', given),
  run: async (invocation) => {
    const [action = 'list', id] = invocation.args;
    if (action === 'list') return await list(invocation);
    if (id === undefined || !/^[1-9]\d{0,17}$/.test(id)) {
      throw new CodedError('usage', `say which finding to ${action}: its number, as the list shows it.`);
    }
    return action === 'show' ? await show(invocation, id) : await act(invocation, action, id);
  },
};

async function list({ world, options, json }: Invocation): Promise<ExitCode> {
  const { all: closed = false, limit } = options as FindingsOptions;
  const findings = await read(world, { closed, limit });
  if (json) world.terminal.json({ findings });
  else if (findings.length === 0) world.terminal.line('no open findings');
  else writeFindings(world.terminal, findings);
  return exitCode.ok;
}

async function show({ world, json }: Invocation, id: string): Promise<ExitCode> {
  const [finding] = await read(world, { closed: true, limit: 1, id });
  if (!finding) throw new CodedError('not_found', `there is no finding ${id}`);
  if (json) world.terminal.json(finding);
  else writeFinding(world.terminal, finding);
  return exitCode.ok;
}

async function act({ world, options, json }: Invocation, action: string, id: string): Promise<ExitCode> {
  const { reason, actor } = options as FindingsOptions;
  if (reason === undefined) throw new CodedError('usage', `${action} needs --reason 'why'.`);
  const request = { id, reason, actor: actorOf(world, actor) };
  const outcome = action === 'close' ? await close(world, request) : await repair(world, request);
  if (json) world.terminal.json({ id, outcome });
  else world.terminal.line(wordsOf[outcome]);
  return outcome === 'closed' || outcome === 'repairing' ? exitCode.ok : exitCode.no;
}

const wordsOf = {
  closed: 'closed; it is opened again when a comparison sees it again',
  repairing: `the object is in the inbox; workers mend our copy. Then: ${typed('reconcile state')}`,
  came_already: 'refused: this very repair has come in before, and the difference is still there. A person must look',
  no_repair: 'refused: there is no repair for it; somebody must act at the provider',
  not_open: 'refused: there is no open finding of this number',
} as const;

async function close(world: World, request: FindingAct): Promise<'closed' | 'not_open'> {
  return (await withDatabase(world, (database) => closeFinding(database, request))) ? 'closed' : 'not_open';
}

async function repair(world: World, request: FindingAct) {
  const { maxAttempts } = loadConfig('ops', { env: world.env, cwd: world.cwd, providers });
  return await withDatabase(world, async (database) => {
    const receiver = createReceiver(database, receiverOptions(maxAttempts));
    try {
      return await repairFinding(database, receiver, (at) => schemeOfEndpoint(world, at), request);
    } finally {
      await receiver.close();
    }
  });
}

function read(world: World, query: Parameters<typeof listFindings>[1]): Promise<readonly Finding[]> {
  return withDatabase(world, (database) => readOnly(database, (tx) => listFindings(tx, query)));
}
