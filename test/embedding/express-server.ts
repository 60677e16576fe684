import express, { type Express } from 'express';
import { answerWebhook, type Webhooks } from './answer-webhook.ts';

export function expressServer(webhooks: Webhooks): Express {
  const app = express();

  // Before express.json(), which would consume the bytes. Every content type, and never unpacked: the bytes are signed as sent.
  const rawBody = express.raw({ type: () => true, inflate: false, limit: 1_000_000 });
  app.post('/webhooks/stripe/billing', rawBody, async (request, response) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const answer = await answerWebhook(webhooks, body, request.rawHeaders);
    if (answer.contentType !== undefined) response.type(answer.contentType);
    if (answer.status === 503) response.set('Retry-After', '5');
    // end(), not send(): an empty answer stays empty.
    response.status(answer.status).end(answer.body);
  });

  app.use(express.json());
  app.post('/echo', (request, response) => {
    response.json(request.body);
  });
  return app;
}
