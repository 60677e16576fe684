import type { Reporter, TestCase, Vitest } from 'vitest/node';

/** Prints every skipped test and why, which the default reporter does not: a skipped test must never go unseen. */
export function skippedTestsReporter(): Reporter {
  const skipped: string[] = [];
  let filtered = false;
  return {
    onInit(vitest: Vitest) {
      // With -t everything else is skipped on purpose.
      filtered = vitest.config.testNamePattern !== undefined;
    },
    onTestCaseResult(test: TestCase) {
      const result = test.result();
      if (result.state !== 'skipped') return;
      skipped.push(
        `${test.module.relativeModuleId} > ${test.fullName}${result.note === undefined ? '' : `: ${result.note}`}`,
      );
    },
    onTestRunEnd() {
      if (filtered || skipped.length === 0) return;
      process.stdout.write(`\nSkipped, and why:\n${skipped.map((line) => `  ${line}\n`).join('')}`);
    },
  };
}
