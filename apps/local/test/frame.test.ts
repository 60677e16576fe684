import { describe, expect, it } from 'vitest';
import { drawFrame, type Line, type View } from '../src/frame.ts';

const view: View = {
  title: 'Mailroom  http://127.0.0.1:8080',
  well: true,
  summary: 'ready',
  upForMs: 3_723_000,
  counts: {
    receivedPerSecond: 12.34,
    countLimit: 470,
    byState: { pending: 3, processed: 470, parked: 7 },
    oldestDueSeconds: 4.2,
  },
  processes: ['ingest', 'worker-1', 'worker-2', 'database'].map((name, index) => ({
    name,
    state: 'ready',
    well: true,
    pid: String(1000 + index),
    restarts: index,
    where: 'admin 8081',
  })),
  notices: Array.from({ length: 50 }, (_, number) => ({
    atMs: 0,
    source: 'worker-1',
    text: `warn number ${number} ${'x'.repeat(200)}`,
    times: 1,
  })),
  logFolder: '/home/somebody/.mailroom/logs',
  tryNext: [
    ['npm run send -- stripe invoice.paid', 'post one signed sample'],
    ['npm run send -- storm', 'post hundreds and check the books'],
    ['npm run mailroom -- status', 'see what an operator sees'],
  ],
};

const textOf = (line: Line): string => line.map(([, text]) => text).join('');
const draw = (columns: number, rows: number, changed: Partial<View> = {}): readonly string[] =>
  drawFrame({ ...view, ...changed }, columns, rows).map(textOf);

describe('drawFrame', () => {
  it.each([
    [80, 24],
    [200, 60],
    [40, 24],
    [80, 10],
    [1, 1],
  ])('fills a terminal of %i by %i and never passes its edge', (columns, rows) => {
    const lines = draw(columns, rows);
    expect(lines).toHaveLength(rows);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  });

  it('shows everything in 80 by 24: rates, states, processes, the newest warning and what to try', () => {
    const screen = draw(80, 24).join('\n');
    for (const wanted of [
      'http://127.0.0.1:8080',
      'up 01:02:03',
      '12.3 new events/s',
      'backlog 3, the oldest due for 4 s',
      'processed 470+',
      'parked 7',
      'exhausted 0',
      'ingest',
      'worker-2',
      '1003',
      'warn number 49',
      'npm run send -- stripe invoice.paid',
      'npm run send -- storm',
      'npm run mailroom -- status',
      'Ctrl-C',
    ]) {
      expect(screen).toContain(wanted);
    }
    expect(screen).not.toContain('warn number 0 ');
  });

  it('keeps the processes and the newest warning when the terminal is too low for everything', () => {
    const screen = draw(80, 13).join('\n');
    for (const wanted of ['worker-2', 'warn number 49']) expect(screen).toContain(wanted);
    expect(screen).not.toContain('Try next');
  });

  it('lets no log line drive the terminal', () => {
    const text = 'a\u001b[2Jb\u0007c\u009bd\u202ee\nf';
    const screen = draw(80, 24, { notices: [{ atMs: 0, source: 'worker-1', text, times: 3 }] }).join('');
    expect(screen).not.toMatch(/\p{C}/u);
    expect(screen).toContain('(3 times)');
  });

  it('says so when the database does not answer', () => {
    expect(draw(80, 24, { counts: null }).join('\n')).toContain('not known');
  });
});
