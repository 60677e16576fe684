import { describe, expect, test } from 'vitest';
import { createLogger, type LoggerOptions } from '../src/logger.ts';

describe('the logger', () => {
  test('a line is JSON with an ISO time, the level by name, the process and the event', () => {
    const [line] = logged((log) => log.info('attempt_finished', { key: 'stripe/billing/evt_1', duration_ms: 12 }));
    expect(line).toMatchObject({ level: 'info', name: 'worker', event: 'attempt_finished', duration_ms: 12 });
    expect(line?.['time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(line).toHaveProperty('pid', process.pid);
    expect(line).toHaveProperty('host');
    expect(line).not.toHaveProperty('msg');
  });

  test('what is below the level is not written, and silent writes nothing', () => {
    expect(logged((log) => log.info('claim_failed'), { level: 'warn' })).toEqual([]);
    expect(logged((log) => log.error('claim_failed'), { level: 'silent' })).toEqual([]);
    expect(logged((log) => log.debug('claim_failed'), { level: 'debug' })).toHaveLength(1);
  });

  test('a child carries its fields into every line and leaves its parent alone', () => {
    const lines = logged((log) => {
      const child = log.child({ worker: 'w-1' }).child({ release: 'r-2' });
      child.warn('claim_failed', { rows: 1 });
      log.warn('claim_failed');
    });
    expect(lines[0]).toMatchObject({ worker: 'w-1', release: 'r-2', rows: 1 });
    expect(lines[1]).not.toHaveProperty('worker');
  });

  test('a field cannot stand in for what the logger itself writes', () => {
    const [line] = logged((log) => log.info('claim_failed', { event: 'x', level: 'y', time: 'z', name: 'n', pid: 0 }));
    expect(line).toMatchObject({ event: 'claim_failed', level: 'info', event_: 'x', level_: 'y', time_: 'z' });
  });

  test('everything is representable: big integers, dates, bytes, cycles, deep nesting', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const bytes = Buffer.from('raw body bytes');
    const [line] = logged((log) => log.info('claim_failed', { big: 2n ** 60n, at: new Date(0), bytes, cycle }));
    expect(line).toMatchObject({ big: '1152921504606846976', at: '1970-01-01T00:00:00.000Z', bytes: '[14 bytes]' });
    expect(JSON.stringify(line)).toContain('[too deep]');
    expect(JSON.stringify(line)).not.toContain('raw body');
  });

  test('logging never throws: a field that cannot be read costs the line its fields only', () => {
    const bad = {
      get trap(): never {
        throw new Error('no');
      },
    };
    expect(logged((log) => log.error('claim_failed', bad))[0]).toMatchObject({ event: 'claim_failed' });
  });

  test('long texts and lists are cut', () => {
    const [line] = logged((log) =>
      log.info('claim_failed', { text: 'x '.repeat(50_000), list: Array(10_000).fill(1) }),
    );
    expect(JSON.stringify(line).length).toBeLessThan(5000);
  });

  test("an error is reduced to what is safe: PostgreSQL's detail, which quotes rows, is not written", () => {
    const cause = Object.assign(new Error('duplicate key value violates unique constraint "users_email_key"'), {
      code: '23505',
      constraint: 'users_email_key',
      detail: 'Key (email)=(jane@example.org) already exists.',
      where: 'COPY users, line 1',
    });
    const [line] = logged((log) => log.error('attempt_not_recorded', { error: new Error('failed', { cause }) }));
    expect(line?.['error']).toMatchObject({
      message: 'failed',
      cause: { code: '23505', constraint: 'users_email_key' },
    });
    expect(JSON.stringify(line)).not.toMatch(/jane|COPY/);
  });
});

interface Line {
  readonly [field: string]: unknown;
}

function logged(use: (log: ReturnType<typeof createLogger>) => void, options: Partial<LoggerOptions> = {}): Line[] {
  const lines: Line[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  use(createLogger({ level: 'info', name: 'worker', destination, ...options }));
  return lines;
}
