import { CodedError } from '@mailroom/kernel';
import { findLocalDatabase } from '@mailroom/localdb';

/**
 * The database to use: the configured one, else the local one that runs under `home`. Throws `no_database` where there is
 * neither, saying what to do.
 */
export async function databaseUrlOf(config: {
  readonly databaseUrl: string | null;
  readonly home: string;
}): Promise<string> {
  const url = config.databaseUrl ?? (await findLocalDatabase(config.home));
  if (url !== null) return url;
  throw new CodedError(
    'no_database',
    `DATABASE_URL is not set and no local database runs under ${config.home}. Set DATABASE_URL, or run: npm start`,
  );
}
