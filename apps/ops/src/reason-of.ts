import { messageOf } from '@mailroom/kernel';

/** Why there was no connection, in words; node-postgres throws an AggregateError without a message for `localhost`. */
export function reasonOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return (typeof code === 'string' ? words.get(code) : undefined) ?? messageOf(error);
}

const words = new Map([
  ['ECONNREFUSED', 'connection refused; nothing listens there'],
  ['ENOTFOUND', 'there is no host of this name'],
  ['EAI_AGAIN', 'the name of the host could not be looked up'],
  ['ECONNRESET', 'the connection was cut'],
  ['ETIMEDOUT', 'no answer in time'],
  ['EHOSTUNREACH', 'there is no way to this host'],
  ['ENETUNREACH', 'there is no way to this network'],
]);
