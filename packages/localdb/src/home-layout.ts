import { join, resolve } from 'node:path';

/** Where the local database keeps its things under MAILROOM_HOME. */
export interface HomeLayout {
  readonly home: string;
  /** The data folder of the server, owned by the user it runs as. */
  readonly data: string;
  /**
   * Data folders still being made begin with it; one is renamed to `data` when it is whole, so that a crash leaves no half of
   * one. Each has a name of its own, for an initdb whose parent was killed goes on writing for a while.
   */
  readonly unfinishedPrefix: string;
  /** The server's own lock and status file. */
  readonly postmasterFile: string;
  /** Which process started the server. */
  readonly lock: string;
  readonly password: string;
  readonly serverLog: string;
  readonly previousServerLog: string;
}

export function homeLayout(home: string): HomeLayout {
  const root = resolve(home);
  const data = join(root, 'postgres');
  return {
    home: root,
    data,
    unfinishedPrefix: join(root, 'postgres.unfinished-'),
    postmasterFile: join(data, 'postmaster.pid'),
    lock: join(root, 'postgres.lock'),
    password: join(root, 'postgres.password'),
    serverLog: join(root, 'postgres.log'),
    previousServerLog: join(root, 'postgres.log.1'),
  };
}
