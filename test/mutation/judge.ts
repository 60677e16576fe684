import { titlePattern } from '../support/title-pattern.ts';
import type { CatchingTest } from './mutation.ts';

/** What is read of vitest's JSON report. */
export interface TestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

/** What is wrong with a run of the product as it is: each of the tests must pass. */
export function whyNotPassing(report: TestReport, tests: readonly CatchingTest[]): readonly string[] {
  return tests.flatMap((test) => {
    const results = resultsOf(report, test);
    if (results.length === 0) return [`did not run: ${describe(test)}${brokenFile(report, test)}`];
    const bad = results.find(({ status }) => status !== 'passed');
    return bad ? [`${bad.status} without any mutation: ${describe(test)}: ${firstLine(bad.failureMessages)}`] : [];
  });
}

/**
 * What is wrong with a run of the mutated product: each of the tests must fail, and in an assertion, for a copy that does not even
 * load proves nothing.
 */
export function whyNotCaught(report: TestReport, tests: readonly CatchingTest[]): readonly string[] {
  return tests.flatMap((test) => {
    const results = resultsOf(report, test);
    if (results.length === 0) return [`did not run: ${describe(test)}${brokenFile(report, test)}`];
    const failed = results.filter(({ status }) => status === 'failed');
    if (failed.length === 0) return [`SURVIVED: still passes: ${describe(test)}`];
    const messages = failed.flatMap(({ failureMessages }) => failureMessages ?? []);
    if (messages.some((message) => assertion.test(message))) return [];
    return [`failed otherwise than by an assertion: ${describe(test)}: ${firstLine(messages)}`];
  });
}

function resultsOf(report: TestReport, { file, title }: CatchingTest) {
  return report.testResults
    .filter(({ name }) => name.endsWith(`/${file}`))
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(
      (result) =>
        result.status !== 'skipped' &&
        result.status !== 'pending' &&
        new RegExp(`^${titlePattern(title)}$`).test(result.title),
    );
}

/** How vitest begins the message of a broken expectation; the second where a promise ends otherwise than expected. */
const assertion = /^(AssertionError|Error: promise (resolved|rejected))/;

function brokenFile(report: TestReport, { file }: CatchingTest): string {
  const message = report.testResults.find(({ name }) => name.endsWith(`/${file}`))?.message ?? '';
  return message === '' ? '' : `: ${message.split('\n')[0]}`;
}

function describe({ file, title }: CatchingTest): string {
  return `${file}: ${title}`;
}

function firstLine(messages: readonly string[] | null): string {
  return messages?.[0]?.split('\n')[0] ?? 'no message';
}
