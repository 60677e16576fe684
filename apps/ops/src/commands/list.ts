import { formatEventKey, inboxStates, parseEventKey } from '@mailroom/kernel';
import { Option } from 'commander';
import { endpointOption, knownEndpoint } from '../arguments/endpoint-option.ts';
import { filterOf, type ListOptions, nextCommand } from '../arguments/list-options.ts';
import { pageSize, seconds } from '../arguments/option-values.ts';
import { withDatabase } from '../connect.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { databaseClock } from '../queries/database-clock.ts';
import { listEvents } from '../queries/list-events.ts';
import { readOnly } from '../read-only.ts';
import { writeEventList } from '../views/event-list-view.ts';

export const listCommand: OperatorCommand = {
  name: 'list',
  summary: 'the events that match, a page at a time',
  description:
    'Lists events in the order of their keys. Filters combine. Looking for unfinished states (any but processed and ' +
    'ignored) is quick however large the ledger is; any other search walks the ledger for at most 10 seconds and then says ' +
    'where to go on. Reads only.',
  examples: [
    ['list --state exhausted', 'what used up all its attempts'],
    ['list --state pending --older-than 15m', 'what has been unfinished for long'],
    ['list --state exhausted --error \'relation "orders"\'', 'what failed on this'],
    ['list --endpoint stripe/billing --type invoice.paid --newer-than 2h', 'what came in lately'],
    ['list --state exhausted --limit 200 --keys', 'only the keys, one a line, for xargs'],
  ],
  exitCodes: [[exitCode.ok, 'answered, also when no row matches']],
  declare: (command) =>
    command
      .addOption(new Option('--state <state...>', 'only these states').choices(inboxStates))
      .option('--endpoint <provider/endpoint>', 'only this endpoint, or every endpoint of a provider', endpointOption)
      .option('--type <type>', 'only this event type, exactly')
      .option('--older-than <age>', 'received at least this long ago: 90s, 15m, 2h, 3d', seconds)
      .option('--newer-than <age>', 'received at most this long ago', seconds)
      .option('--error <text>', 'stands in the last error or in the reason of the state, in upper or lower case')
      .option('--limit <rows>', 'rows a page, 1 to 1000', pageSize, 50)
      .option('--after <key>', 'go on after this key, as the page before said', parseEventKey)
      .option('--keys', 'only the keys, one a line'),
  run: async ({ world, options: given, json }) => {
    const options = given as ListOptions;
    const page = await withDatabase(world, (database) =>
      readOnly(database, async (tx) => {
        const endpoint = options.endpoint === undefined ? null : await knownEndpoint(tx, options.endpoint);
        const found = await listEvents(tx, {
          filter: filterOf(options, endpoint),
          limit: options.limit,
          after: options.after ?? null,
          deadlineMs: performance.now() + searchMs,
        });
        return { ...found, now: await databaseClock(tx) };
      }),
    );
    const { terminal } = world;
    const next = page.next === null ? null : formatEventKey(page.next);
    if (json) {
      const events = page.events.map((event) => ({ key: formatEventKey(event), ...event }));
      terminal.json({ events, next, complete: page.complete });
      return exitCode.ok;
    }
    if (options.keys) for (const event of page.events) terminal.line(formatEventKey(event));
    else if (page.events.length > 0) writeEventList(terminal, page.events, page.now);
    if (page.events.length === 0 && page.complete) terminal.note('no rows match');
    if (!page.complete) terminal.note(`the search took ${searchMs / 1000} s and did not reach the end of the ledger`);
    if (next !== null) terminal.note(`more: ${nextCommand(options, next)}`);
    return exitCode.ok;
  },
};

const searchMs = 10_000;
