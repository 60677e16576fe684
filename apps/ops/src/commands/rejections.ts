import { CodedError } from '@mailroom/kernel';
import { type EndpointChoice, endpointOption } from '../arguments/endpoint-option.ts';
import { pageSize, seconds } from '../arguments/option-values.ts';
import { withDatabase } from '../connect.ts';
import { exitCode } from '../exit-code.ts';
import type { Invocation, OperatorCommand } from '../operator-command.ts';
import { databaseClock } from '../queries/database-clock.ts';
import { findRejection, listRejections } from '../queries/rejections.ts';
import { readOnly } from '../read-only.ts';
import { writeRejection, writeRejections } from '../views/rejections-view.ts';

interface RejectionsOptions {
  readonly endpoint?: EndpointChoice;
  readonly reason?: string;
  readonly diagnosis?: string;
  readonly newerThan?: number;
  readonly limit: number;
  readonly body?: boolean;
}

export const rejectionsCommand: OperatorCommand = {
  name: 'rejections',
  summary: 'deliveries that were not verified, and why',
  description:
    'What the signature clinic found out about deliveries that were answered 401, the newest first; with an id, all that is ' +
    'known of one. Only some are looked into when many come, and the oldest are forgotten: the metrics count all. Headers are ' +
    'kept by name only, and the body only where the endpoint says "keepRejectedBodies". None of it was verified, so all of it ' +
    'may be made up. docs/signatures.md says what each diagnosis means and what to do. Reads only.',
  examples: [
    ['rejections', 'the newest 50'],
    ['rejections --endpoint stripe/billing --newer-than 1h', 'what one endpoint refused lately'],
    ['rejections 4711', 'one of them'],
    ['rejections 4711 --body', 'its bytes, where they are kept'],
  ],
  exitCodes: [
    [exitCode.ok, 'answered, also when there is none'],
    [exitCode.no, 'there is none of this id, or its body is not kept'],
  ],
  declare: (command) =>
    command
      .argument('[id]', 'the number of one')
      .option('--endpoint <provider/endpoint>', 'only this endpoint, or every endpoint of a provider', endpointOption)
      .option('--reason <reason>', 'only this reason, such as signature_mismatch')
      .option('--diagnosis <code>', 'only this diagnosis, such as body_reserialised')
      .option('--newer-than <age>', 'refused at most this long ago: 90s, 15m, 2h, 3d', seconds)
      .option('--limit <rows>', 'how many, 1 to 1000', pageSize, 50)
      .option('--body', 'with an id: the exact bytes to standard output, and nothing else'),
  run: async (invocation) => {
    const [id] = invocation.args;
    return id === undefined ? await list(invocation) : await showOne(invocation, id);
  },
};

async function list({ world, options: given, json }: Invocation) {
  const options = given as RejectionsOptions;
  const { rejections, now } = await withDatabase(world, (database) =>
    readOnly(database, async (tx) => {
      const filter = {
        provider: options.endpoint?.provider ?? null,
        endpoint: options.endpoint?.endpoint ?? null,
        reason: options.reason ?? null,
        diagnosis: options.diagnosis ?? null,
        newerThanSeconds: options.newerThan ?? null,
      };
      return { rejections: await listRejections(tx, filter, options.limit), now: await databaseClock(tx) };
    }),
  );
  if (json) world.terminal.json({ rejections });
  else if (rejections.length === 0) world.terminal.note('no rejections match');
  else writeRejections(world.terminal, rejections, now);
  return exitCode.ok;
}

async function showOne({ world, options, json }: Invocation, id: string) {
  if (!/^\d{1,18}$/.test(id)) throw new CodedError('usage', 'the id of a rejection is a number');
  const found = await withDatabase(world, (database) =>
    readOnly(database, async (tx) => ({ rejection: await findRejection(tx, id), now: await databaseClock(tx) })),
  );
  if (found.rejection === null) {
    throw new CodedError('not_found', `there is no rejection ${id}: the oldest are forgotten`);
  }
  const { body, ...rejection } = found.rejection;
  if ((options as RejectionsOptions).body) {
    if (body === null) throw new CodedError('not_found', `no body was kept: the endpoint has no "keepRejectedBodies"`);
    world.terminal.bytes(body);
  } else if (json) world.terminal.json({ ...rejection, bodyBase64: body?.toString('base64') ?? null });
  else writeRejection(world.terminal, found.rejection, found.now);
  return exitCode.ok;
}
