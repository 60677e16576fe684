import { describe, expect, it } from 'vitest';
import { noteworthy } from '../src/log-line.ts';

describe('noteworthy', () => {
  it.each([
    ['information', '{"level":"info","event":"attempt_finished"}'],
    ['an empty line', '  '],
    ['a frame of a stack', '    at start (file:///main.ts:1:2)'],
    ['a line without a word', '    ^'],
  ])('leaves %s to the log file', (_name, line) => {
    expect(noteworthy(line)).toBeNull();
  });

  it('shows a warning in one line without what the reader knows', () => {
    const line = JSON.stringify({
      level: 'warn',
      time: 1,
      pid: 2,
      host: 'h',
      name: 'worker',
      event: 'claim_failed',
      rows: 3,
      error: 'gone',
    });
    expect(noteworthy(line)).toBe('warn claim_failed error=gone rows=3');
  });

  it('shows the message of an error that was logged whole', () => {
    const line = JSON.stringify({
      level: 'error',
      event: 'failed',
      rows: 3,
      error: { type: 'error', message: 'gone' },
    });
    expect(noteworthy(line)).toBe('error failed error=gone rows=3');
  });

  it('shows what is no log line, for that is a crash', () => {
    expect(noteworthy('Error: out of memory')).toBe('Error: out of memory');
    expect(noteworthy('{ broken')).toBe('{ broken');
  });

  it('bounds what it shows', () => {
    expect(noteworthy('x'.repeat(100_000))?.length).toBeLessThan(1000);
  });
});
