import { defineConfig } from 'vitest/config';
import { skippedTestsReporter } from './test/support/skipped-tests-reporter.ts';

export default defineConfig({
  test: {
    // The processes that tests start need the other cores.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 0,
    reporters: ['default', skippedTestsReporter()],
    passWithNoTests: false,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['{packages,apps}/*/test/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: ['test/support/skip-behind-pgbouncer.ts'],
        },
      },
    ],
  },
});
