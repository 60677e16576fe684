import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Example, type Rule, told } from './rule.ts';
import { rules } from './rules.ts';
import { readSourceTree, workspaceOf } from './source-tree.ts';

const tree = readSourceTree(fileURLToPath(new URL('../../', import.meta.url)));

test('the whole repository was read', () => {
  expect(rules.length).toBeGreaterThanOrEqual(13);
  expect(tree.size).toBeGreaterThan(200);
  expect(new Set([...tree.keys()].map(workspaceOf)).size).toBeGreaterThanOrEqual(14);
});

describe.each(rules)('$name', (rule) => {
  test('holds in this repository', () => {
    const { lookedAt, violations } = rule.check(tree);
    expect(violations.map((violation) => told(rule, violation))).toEqual([]);
    expect(lookedAt).toBeGreaterThanOrEqual(rule.looksAtLeastAt);
  });

  test('has examples that break it', () => {
    expect(rule.broken.length).toBeGreaterThanOrEqual(1);
  });

  test.each(rule.broken)('is broken by $title, and the file and the rule are named', (example) => {
    const lines = toldOf(rule, example);
    expect(lines.length).toBe(1);
    expect(lines[0]).toContain(`${example.in}: `);
    expect(lines[0]).toContain(`[${rule.name}]`);
  });
});

function toldOf(rule: Rule, example: Example): string[] {
  return rule.check(new Map(Object.entries(example.files))).violations.map((violation) => told(rule, violation));
}
