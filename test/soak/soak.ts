import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrate } from '@mailroom/db';
import { silentLogger } from '@mailroom/kernel';
import { startLocalDatabase } from '@mailroom/localdb';
import { Client } from 'pg';
import { startBalancer } from './balancer.ts';
import { startFleet } from './fleet.ts';
import { runSoak } from './run-soak.ts';

const help = `Keeps two ingestors and four workers under steady load while each is restarted in turn, on a database of its own,
then compares the database with what must be there.

  npm run soak -- --minutes N [--rate R] [--seed S]

  --minutes N   how long the load lasts; fractions too
  --rate R      new deliveries a second, default 60
  --seed S      picks the order of deliveries and restarts, and which are kills; default: another one every time, printed

Exit codes: 0 all is well; 1 something is not as it must be, and the folder with the logs is kept; 2 a mistake in the call.`;

/** More problems than this tell a person nothing new. */
const maxListed = 25;

// The processes and the database end with this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = await main();

async function main(): Promise<number> {
  const given = readArguments();
  if (given === null) {
    process.stderr.write(`${help}\n`);
    return 2;
  }
  const home = mkdtempSync(join(tmpdir(), 'mailroom-soak-'));
  const problems = await soak(home, given).catch((error: unknown) => [String(error)]);
  if (problems.length > 0) {
    print(`\nWRONG:\n${problems.slice(0, maxListed).join('\n')}`);
    if (problems.length > maxListed) print(`... and ${problems.length - maxListed} more`);
    print(`The logs are in ${home}`);
    return 1;
  }
  print('\nThe database holds exactly what was delivered.');
  rmSync(home, { recursive: true, force: true });
  return 0;
}

interface Arguments {
  readonly minutes: number;
  readonly rate: number;
  readonly seed: number;
}

async function soak(home: string, given: Arguments): Promise<readonly string[]> {
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const database = await startLocalDatabase({ home, log: silentLogger });
  const balancer = await startBalancer();
  const client = new Client({ connectionString: database.url, application_name: 'mailroom-soak' });
  try {
    await migrate({ url: database.url, deadlineMs: 30_000, log: silentLogger });
    await client.connect();
    const fleet = await startFleet({ home, balancer, databaseUrl: database.url, secret });
    const url = `http://127.0.0.1:${balancer.port}/webhooks/stripe/billing`;
    try {
      return await runSoak({ ...given, url, secret, fleet, client, print });
    } finally {
      await fleet.stop();
    }
  } finally {
    await client.end();
    balancer.close();
    await database.stop();
  }
}

function readArguments(): Arguments | null {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string', default: '' },
        rate: { type: 'string', default: '60' },
        seed: { type: 'string', default: String(randomBytes(4).readUInt32LE()) },
      },
    });
    const minutes = Number.parseFloat(values.minutes);
    const rate = Number(values.rate);
    const seed = Number(values.seed);
    return minutes > 0 && rate > 0 && Number.isInteger(seed) ? { minutes, rate, seed } : null;
  } catch {
    return null;
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
