import { type StartedTestServer, startTestServer as start } from '@mailroom/handler-kit/support';

/**
 * TEST_DATABASE_URL where it is set (PostgreSQL 15 to 18, a user that may create databases), else an embedded server in a
 * temporary folder.
 */
export async function startTestServer(): Promise<StartedTestServer> {
  const external = process.env['TEST_DATABASE_URL'] ?? '';
  return await start(external === '' ? null : external);
}
