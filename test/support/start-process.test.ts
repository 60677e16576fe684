import { describe, expect, it } from 'vitest';
import { startProcess } from './start-process.ts';

const script = 'test/support/echo-process.ts';

describe('startProcess', () => {
  it('collects every line of both outputs, the last one without a line end too', async () => {
    const started = startProcess({ script });
    expect(await started.exited).toEqual({ code: 0, signal: null });
    expect(started.stdout.at(-1)).toBe('no newline at the end');
    expect(started.stderr).toEqual(['a complaint']);
    expect(started.lines).toHaveLength(3);
  });

  it('passes on what it was told to and nothing of the test runner', async () => {
    const started = startProcess({ script, env: { GREETING: 'hello' } });
    const names = (await started.waitForLine(/^environment /)).slice('environment '.length).split(',');
    expect(names).toContain('GREETING');
    expect(names).toContain('PATH');
    expect(names.filter((name) => /VITEST|NODE_|npm_/.test(name))).toEqual(['NODE_COMPILE_CACHE']);
    await started.exited;
  });

  it('fails with all output when the process ends before the line comes', async () => {
    const started = startProcess({ script });
    await expect(started.waitForLine('never said')).rejects.toThrow(/ended.*never said\n(.|\n)*no newline at the end/);
  });

  it('fails at the deadline with all output when the line does not come', async () => {
    const started = startProcess({ script, args: ['stay'] });
    await started.waitForLine('staying');
    await expect(started.waitForLine('never said', { deadlineMs: 50 })).rejects.toThrow(/never said(.|\n)*staying/);
    await started.stop();
  });

  it('stops with SIGTERM and tells how the process ended', async () => {
    const started = startProcess({ script, args: ['stay'] });
    await started.waitForLine('staying');
    expect(await started.stop()).toEqual({ code: 7, signal: null });
    expect(started.lines).toContain('terminated');
  });

  it('kills with any signal', async () => {
    const started = startProcess({ script, args: ['stay'] });
    await started.waitForLine('staying');
    started.kill('SIGKILL');
    expect(await started.exited).toEqual({ code: null, signal: 'SIGKILL' });
    // Once more does no harm: nobody is there to hear it.
    started.kill('SIGKILL');
    started.killGroup('SIGKILL');
  });
});
