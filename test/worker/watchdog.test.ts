import { expect, it } from 'vitest';
import { startProcess } from '../support/start-process.ts';

it('a wall clock that jumps ends no worker', async () => {
  const started = startProcess({ script: 'test/worker/jumping-clock.ts' });
  await started.waitForLine('still here');
  expect(await started.exited).toEqual({ code: 0, signal: null });
});
