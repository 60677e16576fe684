import { silentLogger } from '@mailroom/kernel';
import { startLocalDatabase } from '@mailroom/localdb';
import { adminQuery } from '../support/admin-query.ts';

// A program with a local database, to be killed by tests: `run-local-database.ts HOME [forget]`. Prints `ready PID URL`, or
// `refused CODE MESSAGE`. At SIGINT it first uses the database, as draining workers do, and then stops it. With `forget` it
// has nothing more to do and never stops it.
const [, , home = '', forget] = process.argv;
try {
  const database = await startLocalDatabase({ home, log: silentLogger });
  process.stdout.write(`ready ${database.pid} ${database.url}\n`);
  const idle = setInterval(() => undefined, 60_000);
  if (forget !== undefined) clearInterval(idle);
  process.once('SIGINT', () => {
    clearInterval(idle);
    void drain(database.url).then(database.stop);
  });
} catch (error) {
  if (!(error instanceof Error && 'code' in error)) throw error;
  process.stdout.write(`refused ${String(error.code)} ${error.message}\n`);
  process.exitCode = 3;
}

async function drain(url: string): Promise<void> {
  await adminQuery(url, 'create table drained as select now() as at');
  process.stdout.write('drained\n');
}
