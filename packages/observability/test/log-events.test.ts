import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { logEvents } from '../src/log-events.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const logged = loggedInSources();

describe('the table of log events', () => {
  test('every event that the sources log is in the table, at its level', () => {
    expect(logged.length, 'log calls found').toBeGreaterThan(20);
    const missing = logged.filter(({ event, level }) => {
      const row = logEvents.find((candidate) => candidate.event === event);
      return row === undefined || (level !== null && !row.levels.includes(level));
    });
    expect(missing, 'add them to packages/observability/src/log-events.ts, then npm run generate').toEqual([]);
  });

  test('every event of the table is logged somewhere', () => {
    const events = new Set(logged.map(({ event }) => event));
    expect(logEvents.filter(({ event }) => !events.has(event)).map(({ event }) => event)).toEqual([]);
  });

  test('names are stable words: unique, lower case, underscores and dots', () => {
    expect(new Set(logEvents.map(({ event }) => event)).size).toBe(logEvents.length);
    for (const { event, fields, meaning } of logEvents) {
      expect(event).toMatch(/^[a-z]+([_.][a-z]+)*$/);
      for (const field of fields) expect(field, event).toMatch(/^[a-z]+(_[a-z]+)*\??$/);
      expect(meaning, event).toMatch(/^[A-Z][^|]*\.$/);
    }
  });
});

interface LogCall {
  readonly event: string;
  /** Null where the level is chosen when it is logged. */
  readonly level: 'debug' | 'info' | 'warn' | 'error' | null;
  readonly file: string;
}

function loggedInSources(): readonly LogCall[] {
  const call = /\blog(?:ger)?(?:\.(debug|info|warn|error)|\[[^'\n]+\])\(\s*'([^']+)'/g;
  return globSync('{apps,packages}/*/src/**/*.ts', { cwd: repository }).flatMap((file) => {
    const source = readFileSync(`${repository}${file}`, 'utf8');
    return Array.from(source.matchAll(call), ([, level, event]) => ({
      event: event ?? '',
      level: (level as LogCall['level'] | undefined) ?? null,
      file,
    }));
  });
}
