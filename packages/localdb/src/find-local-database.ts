import { CodedError } from '@mailroom/kernel';
import { homeLayout } from './home-layout.ts';
import { localUrl, readPassword } from './password.ts';
import { findPostmaster } from './postmaster.ts';

/**
 * The URL of the local database of a MAILROOM_HOME, or null when it does not run or does not accept connections yet. Starts
 * nothing. Throws `localdb_unreadable` where the files belong to another user.
 */
export async function findLocalDatabase(home: string): Promise<string | null> {
  const layout = homeLayout(home);
  try {
    const found = findPostmaster(layout);
    return found.outcome === 'running' && found.ready ? localUrl(found.port, readPassword(layout)) : null;
  } catch (error) {
    throw new CodedError(
      'localdb_unreadable',
      `the local database under ${layout.home} cannot be looked up; it was probably started by another user`,
      { cause: error },
    );
  }
}
