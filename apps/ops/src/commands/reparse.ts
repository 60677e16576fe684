import { loadConfig } from '@mailroom/config';
import { type ReparseOutcome, reparseEvent } from '@mailroom/inbox';
import { type EventKey, formatEventKey, parseEventKey } from '@mailroom/kernel';
import { providers, readAgain } from '@mailroom/providers';
import { actorOf } from '../arguments/actor.ts';
import { eventNotFound, onlyArgument } from '../arguments/key-argument.ts';
import { given } from '../arguments/option-values.ts';
import { withDatabase } from '../connect.ts';
import { schemeOfEndpoint } from '../endpoint-scheme.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { visible } from '../terminal/visible.ts';

interface ReparseOptions {
  readonly reason: string;
  readonly actor?: string;
}

export const reparseCommand: OperatorCommand = {
  name: 'reparse',
  summary: 'read a quarantined event again',
  description:
    'For an event that was correctly signed and could not be read, once the reader is mended: reads the stored bytes as its ' +
    'provider does today. Every event in them comes in under its own name and is due at once; those that are known already ' +
    'stay as they are. The quarantined row is finished, with the reason. All of it is one transaction, and who did it and ' +
    'why stays on record (operator_actions). Where the bytes still cannot be read nothing changes.',
  examples: [["reparse shopify/main/sha256:9f2c --reason 'deployed 4f2a'", 'one event']],
  exitCodes: [
    [exitCode.ok, 'read; its events are in the ledger'],
    [exitCode.no, 'it is still unreadable, not quarantined, or its body has expired'],
  ],
  declare: (command) =>
    command
      .argument('<key>', 'provider/endpoint/event_id')
      .requiredOption('--reason <text>', 'why; kept for ever', given)
      .option('--actor <name>', 'who; the login name by default', given),
  run: async ({ world, args, options, json }) => {
    const { reason, actor: named } = options as ReparseOptions;
    const actor = actorOf(world, named);
    const key = parseEventKey(onlyArgument(args));
    const scheme = schemeOfEndpoint(world, key);
    const { maxAttempts } = loadConfig('ops', { env: world.env, cwd: world.cwd, providers });
    const result = await withDatabase(world, (database) =>
      reparseEvent(database, { key, reason, actor, maxAttempts, read: (stored) => readAgain(scheme, stored) }),
    );
    if (result.outcome === 'not_found') throw eventNotFound(key);
    if (json) world.terminal.json({ key: formatEventKey(key), ...result });
    else for (const line of linesOf(key, result)) world.terminal.line(line);
    return result.outcome === 'reparsed' ? exitCode.ok : exitCode.no;
  },
};

function linesOf(key: EventKey, result: Exclude<ReparseOutcome, { readonly outcome: 'not_found' }>): readonly string[] {
  switch (result.outcome) {
    case 'reparsed': {
      const { eventIds, duplicates } = result;
      const known = duplicates === 0 ? '' : `, ${duplicates} of them known already`;
      const came = `read again: ${eventIds.length === 1 ? 'one event' : `${eventIds.length} events`} came of it${known}`;
      return [came, ...eventIds.map((eventId) => `  ${visible(formatEventKey({ ...key, eventId }))}`)];
    }
    case 'still_unreadable':
      return [`refused: it still cannot be read: ${visible(result.reason)}. Nothing has changed.`];
    case 'not_quarantined':
      return [`refused: it is ${visible(result.state)}, not quarantined`];
    case 'body_expired':
      return ['refused: its body has expired, so there is nothing to read'];
  }
}
