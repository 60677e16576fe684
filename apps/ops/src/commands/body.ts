import { createHash } from 'node:crypto';
import { CodedError, formatEventKey, parseEventKey } from '@mailroom/kernel';
import { eventNotFound, onlyArgument } from '../arguments/key-argument.ts';
import { withDatabase } from '../connect.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { storedBody } from '../queries/event-body.ts';
import { findEvent } from '../queries/event-row.ts';
import { readOnly } from '../read-only.ts';
import { visible } from '../terminal/visible.ts';

export const bodyCommand: OperatorCommand = {
  name: 'body',
  summary: 'the exact bytes that were received',
  description:
    'Writes the stored bytes of the delivery to standard output, unchanged, and nothing else. It may hold personal data. An ' +
    'event that came in a batch has no bytes of its own: the whole delivery is written, and standard error says where in it ' +
    'the event stands. Reads only. Use npm run -s, or npm writes its own lines first.',
  examples: [
    ['body stripe/billing/evt_1PqX | less', 'look at it'],
    ['body stripe/billing/evt_1PqX --json', 'as base64, with content type and SHA-256'],
  ],
  exitCodes: [
    [exitCode.ok, 'the bytes were written'],
    [exitCode.no, 'the ledger has no event of this key, or its body has expired'],
  ],
  declare: (command) => command.argument('<key>', 'provider/endpoint/event_id'),
  run: async ({ world, args, json }) => {
    const key = parseEventKey(onlyArgument(args));
    const found = await withDatabase(world, (database) =>
      readOnly(database, async (tx) => {
        const event = await findEvent(tx, key);
        return event === null ? null : { event, stored: await storedBody(tx, event.deliveryId) };
      }),
    );
    if (found === null) throw eventNotFound(key);
    const { event, stored } = found;
    if (stored === null) {
      throw new CodedError(
        'body_expired',
        `the body of ${visible(formatEventKey(key))} has expired: bodies are kept for a shorter time than the ledger.`,
      );
    }
    if (json) {
      world.terminal.json({
        key: formatEventKey(key),
        itemPath: event.itemPath,
        contentType: stored.contentType,
        bytes: stored.body.length,
        sha256: createHash('sha256').update(stored.body).digest('hex'),
        base64: stored.body.toString('base64'),
      });
      return exitCode.ok;
    }
    world.terminal.bytes(stored.body);
    if (event.itemPath !== null) {
      const path = visible(event.itemPath.join('.'));
      world.terminal.note(`this is the whole delivery; the event stands at ${path} in it`);
    }
    return exitCode.ok;
  },
};
