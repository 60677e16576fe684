/**
 * What does not work, or cannot be tested, through PgBouncer in transaction mode: by file, and by test where it is not the whole
 * file. Skipped with the reason where TEST_PGBOUNCER=1. docs/operations.md tells an operator what follows from it.
 */
export const notBehindPgbouncer: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  'test/worker/hints.test.ts': {
    'wake a worker that would not have looked for an hour': 'LISTEN belongs to a session: WORKER_LISTEN=off',
  },
  'test/db/migrate.test.ts': 'the migrator holds a session-level lock: it takes a direct connection',
  'test/db/prepared-statements.test.ts': 'looks at what its own session has prepared, which here is not its own',
  'test/ops/status.test.ts': {
    'a worker that is connected is seen, even when it holds nothing':
      'sessions are named after whoever used them last, so connections are counted for the pooler',
  },
  'test/ops/doctor.test.ts': {
    'warns of commits that a crash would lose': 'a session of the pooler keeps the setting that it began with',
  },
  'test/ops/read-only.test.ts': 'the pooler of the tests lets everybody in as one user, and takes no startup options',
  'test/ops/refusals.test.ts': {
    'a wrong %s is exit code 3': 'the pooler of the tests lets everybody in as one user',
  },
};
