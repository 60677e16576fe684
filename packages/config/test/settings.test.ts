import { describe, expect, test } from 'vitest';
import { defaultOf, parseSetting } from '../src/parse-setting.ts';
import { rules } from '../src/rules.ts';
import type { Setting } from '../src/setting.ts';
import { type SettingValues, settings } from '../src/settings.ts';

const table: readonly Setting[] = settings;
const defaults = Object.fromEntries(table.map((s) => [s.key, defaultOf(s, '/srv')])) as SettingValues;

describe('the table of settings', () => {
  test('names and keys are unique, and every setting says in one sentence what it is', () => {
    expect(table.length).toBeGreaterThan(25);
    expect(new Set(table.map(({ name }) => name)).size).toBe(table.length);
    expect(new Set(table.map(({ key }) => key)).size).toBe(table.length);
    for (const { name, description } of table) expect(description, name).toMatch(/^[A-Z][^|]*\.$/);
  });

  test('every number carries its unit in its name, or is a count or a port', () => {
    const counts =
      /^(PORT|ADMIN_PORT|MAX_ATTEMPTS|OUTBOX_MAX_ATTEMPTS|MAX_INFRA_RETRIES|WORKER_SLOTS|DATABASE_MAX_CONNECTIONS)$/;
    for (const { name, kind } of table) {
      if (kind !== 'integer') continue;
      expect(name).toMatch(new RegExp(`_MS$|_DAYS$|_BYTES|_ROWS|_IN_FLIGHT$|_PER_SECOND$|${counts.source}`));
    }
  });

  test('every default is a value that is accepted', () => {
    for (const setting of table) {
      if (setting.default === null) continue;
      expect(parseSetting(setting, String(setting.default), '/srv'), setting.name).toHaveProperty('value');
    }
  });

  test('npm start checks what every process reads that it starts', () => {
    for (const { name, roles } of table) expect(roles, name).toContain('local');
  });

  test('the defaults obey every rule, and every rule speaks of settings that exist and that its roles read', () => {
    expect(rules.length).toBeGreaterThan(5);
    for (const rule of rules) {
      expect(rule.holds(defaults), rule.statement).toBe(true);
      for (const name of rule.names) {
        expect(rule.statement).toContain(name);
        const roles = table.find((setting) => setting.name === name)?.roles ?? [];
        expect(roles, name).toEqual(expect.arrayContaining([...rule.roles]));
      }
    }
  });
});
