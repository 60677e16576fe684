import type { Config } from '@mailroom/config';
import type { Logger } from '@mailroom/kernel';
import { startLocalDatabase } from '@mailroom/localdb';

/** The database everything works on. */
export interface ProvidedDatabase {
  readonly url: string;
  /** For people, without password. */
  readonly where: string;
  /** null: not started by us. */
  readonly pid: number | null;
  /** Resolves when a database that we started has ended; never for one that we did not. */
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The one that `DATABASE_URL` names, else a real PostgreSQL under MAILROOM_HOME. Throws what `startLocalDatabase` throws. */
export async function provideDatabase(
  config: Pick<Config, 'databaseUrl' | 'home'>,
  log: Logger,
): Promise<ProvidedDatabase> {
  if (config.databaseUrl !== null) {
    const never = new Promise<void>(() => undefined);
    return {
      url: config.databaseUrl,
      where: whereIs(config.databaseUrl),
      pid: null,
      ended: never,
      stop: async () => undefined,
    };
  }
  const { url, pid, ended, stop } = await startLocalDatabase({ home: config.home, log });
  return { url, where: whereIs(url), pid, ended, stop };
}

function whereIs(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname || 'local socket'}:${port || '5432'}${pathname}`;
}
