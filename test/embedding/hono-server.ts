import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { answerWebhook, type Webhooks } from './answer-webhook.ts';

export function honoServer(webhooks: Webhooks) {
  const app = new Hono<{ Bindings: HttpBindings }>();

  app.post('/webhooks/stripe/billing', bodyLimit({ maxSize: 1_000_000 }), async (c) => {
    // The bytes as they came. Never c.req.json(): written again, they would not be what was signed.
    const body = Buffer.from(await c.req.arrayBuffer());
    const answer = await answerWebhook(webhooks, body, c.env.incoming.rawHeaders);
    const headers = new Headers();
    if (answer.contentType !== undefined) headers.set('Content-Type', answer.contentType);
    if (answer.status === 503) headers.set('Retry-After', '5');
    return new Response(answer.body ?? null, { status: answer.status, headers });
  });

  app.post('/echo', async (c) => c.json(await c.req.json()));
  return app;
}
