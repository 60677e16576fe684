import type { HttpBindings } from '@hono/node-server';
import type { Receiver } from '@mailroom/inbox';
import { uuidv7 } from '@mailroom/kernel';
import type { RawRequest } from '@mailroom/providers';
import type { ReceiveOutcome } from './answer.ts';
import type { BodyBudget } from './body-budget.ts';
import { commitInTime } from './commit-in-time.ts';
import type { OpenEndpoint } from './endpoint-table.ts';
import { continueIfAsked } from './expect-continue.ts';
import { eventsOf } from './incoming-events.ts';
import { readBody } from './read-body.ts';
import { readHeaders } from './request-headers.ts';
import { contentTypeOf, storedHeaders } from './stored-headers.ts';

export interface ReceiveDependencies {
  readonly receiver: Receiver;
  readonly budget: BodyBudget;
  readonly bodyDeadlineMs: number;
  /** Within this long after the last byte the client has its answer, milliseconds. */
  readonly answerDeadlineMs: number;
  readonly isShuttingDown: () => boolean;
}

/**
 * What happens to a delivery, from its first byte to COMMIT: read the bytes, verify them, read the events, commit the
 * receipts. Nothing unverified is stored; nothing is acknowledged before it is committed. Never throws.
 */
export async function receiveWebhook(
  dependencies: ReceiveDependencies,
  endpoint: OpenEndpoint,
  { incoming, outgoing }: HttpBindings,
): Promise<ReceiveOutcome> {
  const { scheme, secrets } = endpoint;
  try {
    if (dependencies.isShuttingDown()) return { outcome: 'shutting_down' };

    const reading = await readBody(incoming, {
      maxBytes: endpoint.maxBodyBytes,
      deadlineMs: dependencies.bodyDeadlineMs,
      budget: dependencies.budget,
      beforeReading: () => continueIfAsked(incoming, outgoing),
    });
    if (reading.outcome === 'memory_full') return { outcome: 'overloaded' };
    if (reading.outcome !== 'read') return reading;

    const request: RawRequest = { body: reading.body, headers: readHeaders(incoming.rawHeaders) };
    const verification = await scheme.verify(request, secrets, {
      nowMs: Date.now(),
      toleranceMs: endpoint.toleranceMs,
    });
    if (verification.outcome === 'rejected') return verification;
    if (verification.outcome === 'unavailable') return { ...verification, outcome: 'unverifiable' };

    const secret = secrets.find(({ label }) => label === verification.secretLabel) ?? null;
    const content = scheme.read(request, { deliveryId: uuidv7(), secret });
    if (content.outcome === 'handshake') return content;

    return await commitInTime(dependencies, {
      provider: endpoint.provider,
      endpoint: endpoint.endpoint,
      body: request.body,
      contentType: contentTypeOf(request.headers),
      headers: storedHeaders(request.headers, scheme.readsHeaders),
      secretLabel: verification.secretLabel,
      origin: 'webhook',
      events: eventsOf(content),
    });
  } catch (error) {
    return { outcome: 'fault', error };
  }
}
