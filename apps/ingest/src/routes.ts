import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { type Answer, answerFor, type ReceiveOutcome, unavailable } from './answer.ts';
import type { EndpointTable, OpenEndpoint } from './endpoint-table.ts';
import { rawPath } from './raw-path.ts';
import type { OutcomeRecorder } from './record-outcome.ts';
import type { SendAnswer } from './send-answer.ts';

export interface RouteDependencies {
  readonly endpoints: EndpointTable;
  readonly receive: (endpoint: OpenEndpoint, exchange: HttpBindings) => Promise<ReceiveOutcome>;
  readonly record: OutcomeRecorder;
  readonly send: SendAnswer;
  /** Why no deliveries should be sent here now; null when they should. */
  readonly notReadyBecause: () => Promise<string | null>;
  readonly onFault: (error: unknown) => void;
}

/** The ingestor's routes. Hono routes; answers are written by `send`, which outlives the handler where an upload is drained. */
export function createRoutes(dependencies: RouteDependencies): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>({
    getPath: (_request, options) => rawPath(options?.env?.incoming.url ?? '/'),
  });

  app.post(webhookPath, async (c) => {
    const startedAtMs = performance.now();
    const endpoint = dependencies.endpoints.find(c.req.param('provider'), c.req.param('endpoint'));
    const outcome: ReceiveOutcome = endpoint
      ? await dependencies.receive(endpoint, c.env)
      : { outcome: 'unknown_endpoint' };
    const response = respond(c, answerFor(outcome, endpoint?.scheme.accepted));
    dependencies.record(outcome, endpoint, startedAtMs);
    return response;
  });
  app.all(webhookPath, (c) => {
    const known = dependencies.endpoints.find(c.req.param('provider'), c.req.param('endpoint'));
    return respond(c, known ? onlyAllowed('POST') : notFound);
  });

  app.get('/healthz', (c) => respond(c, { status: 200, body: 'alive\n' }));
  app.all('/healthz', (c) => respond(c, onlyAllowed('GET, HEAD')));

  app.get('/readyz', async (c) => {
    const reason = await dependencies.notReadyBecause();
    return respond(c, reason === null ? { status: 200, body: 'ready\n' } : { ...unavailable, body: `${reason}\n` });
  });
  app.all('/readyz', (c) => respond(c, onlyAllowed('GET, HEAD')));

  app.notFound((c) => respond(c, notFound));
  app.onError((error, c) => {
    dependencies.onFault(error);
    return respond(c, unavailable);
  });
  return app;

  function respond(c: Context<{ Bindings: HttpBindings }>, answer: Answer): Response {
    dependencies.send(c.env, answer);
    return RESPONSE_ALREADY_SENT;
  }
}

/** Only the names that the configuration allows; anything else, however it is encoded, is not found. */
const webhookPath = '/webhooks/:provider{[a-z][a-z0-9-]*}/:endpoint{[a-z0-9][a-z0-9_-]*}';

const notFound: Answer = { status: 404 };

function onlyAllowed(methods: string): Answer {
  return { status: 405, headers: { Allow: methods } };
}
