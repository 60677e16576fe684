import { CodedError } from '@mailroom/kernel';
import type { World } from '../world.ts';

/** Who is put on record: what `--actor` says, else the login name. Throws `usage` where there is neither. */
export function actorOf(world: World, given: string | undefined): string {
  const actor = given ?? world.user;
  if (actor !== null) return actor;
  throw new CodedError('usage', 'this system has no login name for the record. Give one with --actor.');
}
