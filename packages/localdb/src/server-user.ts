import { spawnSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { CodedError } from '@mailroom/kernel';

/** Whom the server runs as when we are root; PostgreSQL refuses to run as root. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The owner of the data folder where there is one; else the system's `postgres`, else `nobody`. Null when we are not root:
 * then the server runs as ourselves. `initdb` needs the user to have an entry in the password database, which both have.
 */
export function serverUser(data: string): ServerUser | null {
  const self = process.getuid?.();
  const owner = ownerOf(data);
  if (self !== 0) {
    if (owner === null || owner.uid === self) return null;
    throw new CodedError(
      'localdb_data_of_another_user',
      `${data} belongs to the user ${owner.uid}; it was probably made by Mailroom started as root. Start it as root again, or set another MAILROOM_HOME.`,
    );
  }
  if (owner?.uid === 0) {
    throw new CodedError(
      'localdb_data_owned_by_root',
      `${data} belongs to root, and PostgreSQL refuses to run as root. Give it to another user: chown -R postgres ${data}`,
    );
  }
  const user = owner ?? lookUp('postgres') ?? lookUp('nobody');
  if (user === null) {
    throw new CodedError(
      'localdb_no_server_user',
      'PostgreSQL refuses to run as root, and this system has neither a user "postgres" nor "nobody". Create one, start Mailroom as another user, or set DATABASE_URL.',
    );
  }
  return user;
}

/** What `child_process.spawn` needs to run as that user. */
export function spawnAs(user: ServerUser | null): { uid?: number; gid?: number } {
  return user === null ? {} : { uid: user.uid, gid: user.gid };
}

function ownerOf(path: string): ServerUser | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : { uid: stat.uid, gid: stat.gid };
}

function lookUp(name: string): ServerUser | null {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
  if (uid?.status !== 0 || gid?.status !== 0) return null;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}
