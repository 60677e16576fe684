import { formatEventKey, parseEventKey } from '@mailroom/kernel';
import { eventNotFound, onlyArgument } from '../arguments/key-argument.ts';
import { withDatabase } from '../connect.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { readStory } from '../story/event-story.ts';
import { writeStory } from '../views/story-view.ts';

export const showCommand: OperatorCommand = {
  name: 'show',
  summary: 'the whole story of one event',
  description:
    'The row, why nobody works on it at this moment (or who does), its times, each failed attempt, its duplicates, what came ' +
    'from it and what operators did to it. Never the payload: of the body only size and SHA-256. Reads only.',
  examples: [
    ['show stripe/billing/evt_1PqX', 'everything about one event'],
    ['show stripe/billing/evt_1PqX --json', 'the same for a program, with whole stacks'],
  ],
  exitCodes: [
    [exitCode.ok, 'found'],
    [exitCode.no, 'the ledger has no event of this key'],
  ],
  declare: (command) => command.argument('<key>', 'provider/endpoint/event_id'),
  run: async ({ world, args, json }) => {
    const key = parseEventKey(onlyArgument(args));
    const story = await withDatabase(world, (database) => readStory(database, key));
    if (story === null) throw eventNotFound(key);
    if (json) world.terminal.json({ key: formatEventKey(key), ...story });
    else writeStory(world.terminal, story);
    return exitCode.ok;
  },
};
