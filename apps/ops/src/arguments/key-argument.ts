import { CodedError, type EventKey, formatEventKey } from '@mailroom/kernel';
import { shellWord, typed } from '../terminal/typed.ts';
import { visible } from '../terminal/visible.ts';

/** The one argument of a command that commander let through with one argument. */
export function onlyArgument(args: readonly string[]): string {
  const [argument] = args;
  if (argument === undefined) throw new CodedError('usage', 'an event key is missing');
  return argument;
}

export function eventNotFound(key: EventKey): CodedError {
  const endpoint = shellWord(`${key.provider}/${key.endpoint}`);
  return new CodedError(
    'not_found',
    `the ledger has no event ${visible(formatEventKey(key))}. It never came in here, or its retention is over.\n` +
      `See what came in there with  ${typed(`list --endpoint ${endpoint} --newer-than 1d`)}`,
  );
}
