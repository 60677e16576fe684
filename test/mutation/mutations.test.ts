import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { holdsTitle } from '../docs/holds-title.ts';
import { type TestReport, whyNotCaught, whyNotPassing } from './judge.ts';
import { mutate } from './mutation.ts';
import { mutations } from './mutations.ts';

// That each mutation is caught is shown by `npm run mutations`, which is a step of .ci/run; here is what can be told in a moment.
describe('the mutations', () => {
  it('include those without which the promise is void', () => {
    expect(mutations.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'drop the re-check under the lock',
        'drop the fencing predicate of the completion',
        'drop the fencing predicate of the failure record',
        'record before work',
        'acknowledge before commit',
      ]),
    );
    expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length);
  });

  it.each(mutations)('still fit the code, and the tests that must catch them exist: $name', (mutation) => {
    const source = readFileSync(resolve(import.meta.dirname, '../..', mutation.file), 'utf8');
    expect(mutate(source, mutation)).not.toBe(source);
    expect(mutation.caughtBy.length).toBeGreaterThan(0);
    expect(mutation.caughtBy.filter(({ file, title }) => !holdsTitle(file, title))).toEqual([]);
  });

  it('are refused where the code has moved on, saying what to update', () => {
    const [mutation] = mutations;
    if (!mutation) throw new Error('there are no mutations');
    expect(() => mutate('something else\n', mutation)).toThrow(/0 times instead of once; update it in test\/mutation/);
    const twice = `${mutation.find}\n${mutation.find}\n`;
    expect(() => mutate(twice, mutation)).toThrow(/2 times instead of once/);
  });
});

describe('the judge of a mutated run', () => {
  const named = { file: 'test/a.test.ts', title: 'holds for %d (each)' };

  it('takes a failed assertion for caught', () => {
    const report = reportOf('failed', 'AssertionError: expected 2 to be 1');
    expect(whyNotCaught(report, [named])).toEqual([]);
    expect(whyNotPassing(report, [named])).toHaveLength(1);
  });

  it('takes a test that still passes for a survivor', () => {
    expect(whyNotCaught(reportOf('passed'), [named])).toEqual([
      `SURVIVED: still passes: ${named.file}: ${named.title}`,
    ]);
    expect(whyNotPassing(reportOf('passed'), [named])).toEqual([]);
  });

  it('takes no other failure for caught: a copy that does not load proves nothing', () => {
    const message = 'SyntaxError: Unexpected token\n    at somewhere';
    expect(whyNotCaught(reportOf('failed', message), [named])[0]).toMatch(
      /otherwise than by an assertion.*SyntaxError/,
    );
    const unloaded: TestReport = { testResults: [{ name: '/x/test/a.test.ts', message, assertionResults: [] }] };
    expect(whyNotCaught(unloaded, [named])[0]).toMatch(/did not run.*SyntaxError/);
    expect(whyNotPassing(unloaded, [named])[0]).toMatch(/did not run.*SyntaxError/);
    expect(whyNotCaught({ testResults: [] }, [named])[0]).toMatch(/did not run/);
  });

  function reportOf(status: string, message?: string): TestReport {
    const result = { title: 'holds for 3 (each)', status, failureMessages: message === undefined ? [] : [message] };
    const other = { title: 'another', status: 'failed', failureMessages: ['AssertionError: not asked for'] };
    return { testResults: [{ name: '/x/test/a.test.ts', message: '', assertionResults: [other, result] }] };
  }
});
