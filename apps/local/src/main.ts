import { CodedError, messageOf } from '@mailroom/kernel';
import { createDisplay } from './display.ts';
import { run } from './run.ts';
import { onStopSignals } from './stop-signals.ts';
import type { Supervised } from './supervise.ts';

const stopping = new AbortController();
const programs: Supervised[] = [];
const display = createDisplay(process.stdout, process.env);
// A reader that is gone, a terminal that was closed: what is running goes on until it is told to stop.
process.stdout.on('error', () => undefined);

onStopSignals(
  () => stopping.abort(),
  () => {
    for (const program of programs) program.kill();
    process.exit(130);
  },
);

try {
  await run({
    env: process.env,
    cwd: process.cwd(),
    display,
    stopping: stopping.signal,
    onStart: (program) => programs.push(program),
  });
  display.say('stopped');
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof CodedError ? error.message : describe(error)}\n`);
  process.exit(1);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
}
