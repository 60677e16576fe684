import type { HttpBindings } from '@hono/node-server';
import type { Receiver, SecretUseRecorder } from '@mailroom/inbox';
import { uuidv7 } from '@mailroom/kernel';
import { acceptDelivery, type CertificateSource, readHeaders } from '@mailroom/providers';
import type { ReceiveOutcome } from './answer.ts';
import type { BodyBudget } from './body-budget.ts';
import { commitInTime } from './commit-in-time.ts';
import { type OpenEndpoint, validSecrets } from './endpoint-table.ts';
import { continueIfAsked } from './expect-continue.ts';
import { readBody } from './read-body.ts';

export interface ReceiveDependencies {
  readonly receiver: Receiver;
  readonly budget: BodyBudget;
  readonly bodyDeadlineMs: number;
  /** Within this long after the last byte the client has its answer, milliseconds. */
  readonly answerDeadlineMs: number;
  readonly isShuttingDown: () => boolean;
  readonly certificates: CertificateSource;
  readonly secretUses: SecretUseRecorder;
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

    const request = { body: reading.body, headers: readHeaders(incoming.rawHeaders) };
    const nowMs = Date.now();
    const acceptance = await acceptDelivery({ ...endpoint, secrets: validSecrets(endpoint, nowMs) }, request, {
      nowMs,
      deliveryId: uuidv7(),
      certificates: dependencies.certificates,
    });
    if (acceptance.outcome === 'unavailable') return { ...acceptance, outcome: 'unverifiable' };
    if (acceptance.outcome === 'rejected') return { ...acceptance, request };
    if (acceptance.outcome === 'too_large') return acceptance;
    const { secretLabel } = acceptance.outcome === 'accepted' ? acceptance.delivery : acceptance;
    dependencies.secretUses.matched({ provider: endpoint.provider, endpoint: endpoint.endpoint, secretLabel });
    if (acceptance.outcome !== 'accepted') return acceptance;
    return await commitInTime(dependencies, acceptance.delivery);
  } catch (error) {
    return { outcome: 'fault', error };
  }
}
