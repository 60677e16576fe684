import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, inject, it, test } from 'vitest';
import { startProcess } from '../support/start-process.ts';
import { patterns } from './registry.ts';
import { runWay, type Verdict, verdictOn } from './run-pattern.ts';
import { tableHead, tableRows, tableWidth } from './table.ts';

const repository = new URL('../../', import.meta.url);

describe.each(patterns)('$name', (pattern) => {
  it.for(pattern.ways)('$kind: $does: $delivered: $expected', async (way, { skip }) => {
    const result = await runWay(inject('testServer'), pattern, way);
    expect(result).toMatchObject(notRunHere[pattern.name] ?? { got: way.expected, verdict: verdictOn[way.kind] });
    skip(result.verdict === 'not run', result.got);
  });

  it('has two sentences of why, a right way, and a file of the product that exists', () => {
    expect(pattern.why.match(/[.!?](?=\s|$)/g)).toHaveLength(2);
    expect(pattern.ways.some(({ kind }) => kind === 'right')).toBe(true);
    expect(pattern.rightIn).toMatch(/^(packages|apps|migrations)\//);
    expect(existsSync(new URL(pattern.rightIn, repository))).toBe(true);
  });

  it('is a table of at most 100 columns, explained or not, even where everything differs', () => {
    const results = pattern.ways.map((way) => ({
      ...way,
      pattern: pattern.name,
      got: `threw ${'x'.repeat(60)} y`,
      verdict: 'differs' as const,
    }));
    const lines = [...tableHead(plain), ...tableRows(pattern, results, true, plain)];
    expect(lines.filter((line) => line.length > tableWidth)).toEqual([]);
  });
});

test('every file of a pattern is in the registry under its name', () => {
  const files = readdirSync(new URL('patterns/', import.meta.url)).map((file) => file.replace(/\.ts$/, ''));
  expect(files.length).toBeGreaterThanOrEqual(19);
  expect(patterns.map(({ name }) => name).toSorted()).toEqual(files.toSorted());
});

describe('npm run lab', () => {
  test('prints the table and ends with 0 where all is as documented', async () => {
    const { stdout, exited } = runLab('main.ts', '--only', 'blind-upsert');
    expect(await exited).toEqual({ code: 0, signal: null });
    expect(stdout.join('\n')).toContain('2 ways: 1 break and 1 hold as documented, 0 not run, 0 differ');
  });

  test('ends with 1 where the documentation is wrong, and says what differs', async () => {
    const { stdout, exited } = runLab('planted-expectation.ts', '--only', 'blind-upsert', '--json');
    expect(await exited).toEqual({ code: 1, signal: null });
    expect(JSON.parse(stdout.join('\n'))).toMatchObject([
      { expected: 'booked once', got: 'version 1', verdict: 'differs' },
      { got: 'version 2', verdict: 'holds' },
    ]);
  });

  test('ends with 2 and says which patterns there are where one is asked for that is not there', async () => {
    const { stderr, exited } = runLab('main.ts', '--only', 'blind-faith');
    expect(await exited).toEqual({ code: 2, signal: null });
    expect(stderr).toEqual(expect.arrayContaining(['There is no pattern "blind-faith". There are:', '  blind-upsert']));
  });
});

/** What this repository's DynamoDB cannot show. */
const notRunHere: Readonly<Record<string, { readonly got: string; readonly verdict: Verdict }>> = {
  'dynamodb-transaction': {
    got: 'the local DynamoDB (dynalite) does not know TransactWriteItems',
    verdict: 'not run',
  },
};

function runLab(script: string, ...args: readonly string[]) {
  return startProcess({
    script: `test/lab/${script}`,
    args,
    env: { TEST_DATABASE_URL: inject('testServer').adminUrl },
  });
}

function plain(_: string, text: string): string {
  return text;
}
