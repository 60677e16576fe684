import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { CodedError } from '@mailroom/kernel';
import { type ServerUser, spawnAs } from './server-user.ts';

/** How the server's user gets to a folder. */
export interface DataAccess {
  /** What the server calls the folder. */
  readonly serverPath: string;
  /** To be handed to the child as its descriptor 3, or null where the path alone does. */
  readonly descriptor: number | null;
  readonly close: () => void;
}

/**
 * Makes a folder reachable for the server's user. A clone under /root or in a folder of `mktemp -d` lies behind a parent
 * that only root may enter. Loosening other people's folders is not ours to do, so on Linux the child is handed the folder
 * itself, open, and enters it through /proc/self/fd, which asks for no permission on the parents.
 * Throws `localdb_home_unreachable` elsewhere.
 */
export function dataAccess(folder: string, user: ServerUser | null): DataAccess {
  if (user === null || canEnter(folder, user)) return { serverPath: folder, descriptor: null, close: () => undefined };
  if (process.platform !== 'linux') {
    throw new CodedError(
      'localdb_home_unreachable',
      `${folder} lies in a folder that the user ${user.uid}, whom the database runs as, may not enter. Set MAILROOM_HOME to a folder outside, for example /var/lib/mailroom, or start Mailroom as another user than root.`,
    );
  }
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { serverPath: '/proc/self/fd/3', descriptor, close: () => closeSync(descriptor) };
}

// Asked of the system rather than read off the mode bits: access control lists and mounts have a say too.
function canEnter(folder: string, user: ServerUser): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...spawnAs(user), cwd: '/', stdio: 'ignore' }).status ===
    0
  );
}
