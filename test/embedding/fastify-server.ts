import { type FastifyInstance, fastify } from 'fastify';
import { answerWebhook, type Webhooks } from './answer-webhook.ts';

export function fastifyServer(webhooks: Webhooks): FastifyInstance {
  const app = fastify({ bodyLimit: 1_000_000 });

  // A plugin has parsers of its own: in here every body stays bytes, outside JSON is parsed as before.
  app.register(async (bytes) => {
    bytes.removeAllContentTypeParsers();
    bytes.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    bytes.post('/webhooks/stripe/billing', async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const answer = await answerWebhook(webhooks, body, request.raw.rawHeaders);
      if (answer.contentType !== undefined) reply.type(answer.contentType);
      if (answer.status === 503) reply.header('Retry-After', '5');
      return await reply.code(answer.status).send(answer.body);
    });
  });

  app.post('/echo', (request) => request.body);
  return app;
}
