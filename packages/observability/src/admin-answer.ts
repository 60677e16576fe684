import { messageOf } from '@mailroom/kernel';
import type { Metrics } from './metrics.ts';

/** How a process is, in the words of an orchestrator. A reason is a short text for a person, without secrets. */
export interface AdminHealth {
  /** Why the process should be restarted; null when it is alive. Must not depend on the database. Default: always alive. */
  readonly deadBecause?: () => string | null;
  /** Why it should get no work now; null when it should. */
  readonly notReadyBecause: () => string | null | Promise<string | null>;
}

export interface AdminAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer of the admin port to one request. Never throws. */
export async function adminAnswer(
  method: string,
  url: string,
  sources: { readonly metrics: Pick<Metrics, 'render'>; readonly health: AdminHealth },
): Promise<AdminAnswer> {
  const route = routes.get(url.split('?', 1)[0] ?? '');
  if (route === undefined) return text(404, 'not found: try /metrics, /healthz or /readyz');
  if (method !== 'GET' && method !== 'HEAD') {
    return { ...text(405, 'only GET and HEAD'), headers: { ...plain, Allow: 'GET, HEAD' } };
  }
  try {
    return await route(sources);
  } catch (error) {
    return text(503, messageOf(error));
  }
}

type Sources = Parameters<typeof adminAnswer>[2];

const routes: ReadonlyMap<string, (sources: Sources) => Promise<AdminAnswer>> = new Map([
  ['/metrics', metricsRoute],
  ['/healthz', aliveRoute],
  ['/readyz', readyRoute],
]);

async function metricsRoute({ metrics }: Sources): Promise<AdminAnswer> {
  const { contentType, body } = await metrics.render();
  return { status: 200, headers: { ...plain, 'Content-Type': contentType }, body };
}

async function aliveRoute({ health }: Sources): Promise<AdminAnswer> {
  const reason = health.deadBecause?.() ?? null;
  return reason === null ? text(200, 'alive') : text(503, reason);
}

async function readyRoute({ health }: Sources): Promise<AdminAnswer> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve('the check took too long'), readyDeadlineMs);
  try {
    const reason = await Promise.race([health.notReadyBecause(), late.promise]);
    return reason === null ? text(200, 'ready') : text(503, reason);
  } finally {
    clearTimeout(timer);
  }
}

/** Kubernetes gives a probe one second unless told otherwise; an answer after that is none. */
const readyDeadlineMs = 900;

const plain = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' } as const;

function text(status: number, body: string): AdminAnswer {
  return { status, headers: plain, body: `${body}\n` };
}
