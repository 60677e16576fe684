import { describe, expect, it } from 'vitest';
import { createNotices } from '../src/notices.ts';
import type { Condition, Supervised } from '../src/supervise.ts';
import { viewOf, type Watched } from '../src/view.ts';

const counts = { receivedPerSecond: 0, byState: {}, countLimit: 10, oldestDueSeconds: null };

function program(name: string, condition: Condition): Supervised {
  return {
    program: { name, script: '', env: {}, adminPort: 1, where: 'admin 1' },
    condition: () => condition,
    restarts: () => 3,
    stop: () => Promise.resolve(),
    kill: () => undefined,
  };
}

function watched(changed: Partial<Watched>): Watched {
  return {
    url: 'http://127.0.0.1:8080',
    startedAtMs: 0,
    logFolder: '/logs',
    tryNext: [],
    notices: createNotices(() => undefined),
    programs: [program('ingest', { is: 'running', pid: 7 })],
    ready: new Set(['ingest']),
    counts,
    database: { pid: null, where: 'db:5432/mailroom' },
    ...changed,
  };
}

describe('viewOf', () => {
  it('is ready when every program and the database are', () => {
    const view = viewOf(watched({}), 5_000);
    expect(view).toMatchObject({ well: true, summary: 'ready', upForMs: 5_000 });
    expect(view.processes).toMatchObject([
      { name: 'ingest', state: 'ready', pid: '7', restarts: 3 },
      { name: 'database', state: 'ready', pid: '-', where: 'db:5432/mailroom' },
    ]);
  });

  it.each<[string, Partial<Watched>, string]>([
    ['a program is not ready', { ready: new Set() }, 'up, not ready'],
    [
      'a program waits to start again',
      { programs: [program('ingest', { is: 'pausing', untilMs: 7_400 })] },
      'down, again in 3 s',
    ],
    ['a program was stopped', { programs: [program('ingest', { is: 'stopped' })] }, 'stopped'],
    ['the database does not answer', { counts: null }, 'no answer'],
  ])('is not ready when %s, and says so', (_name, changed, state) => {
    const view = viewOf(watched(changed), 5_000);
    expect(view).toMatchObject({ well: false, summary: 'not ready' });
    expect(view.processes).toContainEqual(expect.objectContaining({ state, well: false }));
  });
});
