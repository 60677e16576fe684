import { migrate } from '@mailroom/db';
import { silentLogger } from '@mailroom/kernel';

// `run-migrate.ts URL [DIRECTORY]`: migrates, prints what this process applied as one line of JSON.
const [, , url = '', directory] = process.argv;
const { applied } = await migrate({
  url,
  ...(directory === undefined ? {} : { directory }),
  deadlineMs: 30_000,
  log: silentLogger,
});
process.stdout.write(`${JSON.stringify(applied)}\n`);
