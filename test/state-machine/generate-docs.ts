import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { renderStateMachine } from './document.ts';

// `--check` fails where docs/state-machine.md does not show the transitions beside it; without it they are put there.
const page = resolve(import.meta.dirname, '../../docs/state-machine.md');
const text = readFileSync(page, 'utf8');
const generated = text.replace(
  /(<!-- generated -->\n\n)[\s\S]*?(\n\n<!-- end -->)/,
  (_, begin, end) => begin + renderStateMachine() + end,
);
if (!process.argv.includes('--check')) writeFileSync(page, generated);
else if (generated !== text) {
  process.stderr.write('docs/state-machine.md does not show test/state-machine/transitions.ts: run npm run generate\n');
  process.exitCode = 1;
}
