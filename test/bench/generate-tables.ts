import { tablesAreFresh, writeTables } from './write-tables.ts';

// `--check` fails where docs/benchmarks.md does not show the figures beside it; without it they are put there.
if (!process.argv.includes('--check')) writeTables();
else if (!tablesAreFresh()) {
  process.stderr.write('docs/benchmarks.md does not show docs/benchmarks/figures.json: run npm run generate\n');
  process.exitCode = 1;
}
