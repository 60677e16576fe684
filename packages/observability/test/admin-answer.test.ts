import { describe, expect, test } from 'vitest';
import { type AdminHealth, adminAnswer } from '../src/admin-answer.ts';

const metrics = { render: () => Promise.resolve({ contentType: 'text/plain; version=0.0.4', body: 'mailroom 1\n' }) };

describe('the admin port', () => {
  test('metrics, liveness and readiness have a path each', async () => {
    expect(await ask('/metrics')).toMatchObject({ status: 200, body: 'mailroom 1\n' });
    expect(await ask('/healthz')).toMatchObject({ status: 200, body: 'alive\n' });
    expect(await ask('/readyz?verbose')).toMatchObject({ status: 200, body: 'ready\n' });
    expect(await ask('/')).toMatchObject({ status: 404 });
    expect(await ask('/metrics/../etc')).toMatchObject({ status: 404 });
  });

  test('a process that is not ready is still alive, and says why', async () => {
    const health = { notReadyBecause: () => Promise.resolve('the database does not answer') };
    expect(await ask('/readyz', health)).toMatchObject({ status: 503, body: 'the database does not answer\n' });
    expect(await ask('/healthz', health)).toMatchObject({ status: 200 });
  });

  test('a dead process says so', async () => {
    const health = { deadBecause: () => 'the claim loop has ended', notReadyBecause: () => null };
    expect(await ask('/healthz', health)).toMatchObject({ status: 503, body: 'the claim loop has ended\n' });
  });

  test('a check that fails or hangs is answered 503', async () => {
    const failing = { notReadyBecause: () => Promise.reject(new Error('no route to host')) };
    expect(await ask('/readyz', failing)).toMatchObject({ status: 503, body: 'no route to host\n' });
    const hanging = { notReadyBecause: () => new Promise<null>(() => undefined) };
    expect(await ask('/readyz', hanging)).toMatchObject({ status: 503, body: 'the check took too long\n' });
  });

  test('only GET and HEAD are answered', async () => {
    const answer = await adminAnswer('POST', '/metrics', { metrics, health: { notReadyBecause: () => null } });
    expect(answer).toMatchObject({ status: 405, headers: { Allow: 'GET, HEAD' } });
  });
});

function ask(url: string, health: AdminHealth = { notReadyBecause: () => null }) {
  return adminAnswer('GET', url, { metrics, health });
}
