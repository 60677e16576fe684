import { openPause, openPauses, type Pause, type PauseScope } from '@mailroom/inbox';
import { CodedError } from '@mailroom/kernel';
import { actorOf } from '../arguments/actor.ts';
import { given } from '../arguments/option-values.ts';
import { withDatabase } from '../connect.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { typed } from '../terminal/typed.ts';
import { visible } from '../terminal/visible.ts';

interface PauseOptions {
  readonly endpoint?: string;
  readonly type?: string;
  readonly group?: string;
  readonly reason: string;
  readonly actor?: string;
}

export const pauseCommand: OperatorCommand = {
  name: 'pause',
  summary: 'hold an endpoint, an event type or a failure group',
  description:
    'Receiving goes on; events wait as held and burn no attempts. Workers notice within a second and finish what they are at. ' +
    'Ends with resume. On record in operator_actions.',
  examples: [
    ["pause --endpoint stripe/billing --reason 'ledger migration'", 'all events of an endpoint'],
    ["pause --type stripe/invoice.paid --reason 'wrong tax rate'", 'all events of a type'],
    ["pause --group 3f9a1c0b77e2d4a1 --reason 'waiting for the fix'", 'what fails alike; show names the group'],
  ],
  exitCodes: [
    [exitCode.ok, 'paused'],
    [exitCode.no, 'it is paused already'],
  ],
  declare: (command) =>
    command
      .option('--endpoint <provider/endpoint>', 'an endpoint', given)
      .option('--type <provider/type>', 'an event type of a provider', given)
      .option('--group <id>', 'a failure group', given)
      .requiredOption('--reason <text>', 'why; kept for ever', given)
      .option('--actor <name>', 'who; the login name by default', given),
  run: async ({ world, options, json }) => {
    const { reason, actor, ...chosen } = options as PauseOptions;
    const what = scopeOf(chosen);
    const request = { what, actor: actorOf(world, actor), reason };
    const { opened, open } = await withDatabase(world, async (database) => ({
      opened: await openPause(database, request),
      open: await openPauses(database),
    }));
    const pause = open.find((one) => (opened ? one.pauseId === opened : describePause(one) === describePause(what)));
    if (json) world.terminal.json({ opened: opened !== undefined, pause: pause ?? null });
    else if (opened)
      world.terminal.line(`paused ${visible(describePause(what))} as ${opened}; end it with: ${resumeWith(opened)}`);
    else
      world.terminal.line(
        `${visible(describePause(what))} is paused already: ${pause?.pauseId}, by ${visible(pause?.openedBy ?? '')}`,
      );
    return opened ? exitCode.ok : exitCode.no;
  },
};

/** What is paused, in words. */
export function describePause(what: PauseScope | Pause): string {
  switch (what.scope) {
    case 'endpoint':
      return `endpoint ${what.provider}/${what.endpoint}`;
    case 'event_type':
      return `event type ${what.provider}/${what.eventType}`;
    case 'failure_group':
      return `failure group ${what.failureGroup}`;
  }
}

function resumeWith(pauseId: string): string {
  return typed(`resume ${pauseId} --reason 'why it may go on'`);
}

function scopeOf({ endpoint, type, group }: Pick<PauseOptions, 'endpoint' | 'type' | 'group'>): PauseScope {
  const chosen = [endpoint, type, group].filter((one) => one !== undefined);
  if (chosen.length !== 1)
    throw new CodedError('usage', 'say what to pause with one of --endpoint, --type and --group.');
  if (group !== undefined) return { scope: 'failure_group', failureGroup: group };
  const [provider, ...rest] = (endpoint ?? type ?? '').split('/');
  const name = rest.join('/');
  if (!provider || !name) {
    throw new CodedError(
      'usage',
      'write provider/endpoint or provider/type, for example stripe/billing or stripe/invoice.paid.',
    );
  }
  return endpoint === undefined
    ? { scope: 'event_type', provider, eventType: name }
    : { scope: 'endpoint', provider, endpoint: name };
}
