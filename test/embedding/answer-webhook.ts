import { randomUUID } from 'node:crypto';
import type { Database } from '@mailroom/db';
import { type EventHandler, receiveAndProcess } from '@mailroom/inbox';
import { type AcceptingEndpoint, acceptDelivery, type ProviderAnswer, readHeaders } from '@mailroom/providers';

export interface Webhooks {
  readonly database: Database;
  readonly endpoint: AcceptingEndpoint;
  readonly handlers: readonly EventHandler[];
  readonly onError: (error: unknown) => void;
}

/** From the raw request to the answer. `body` is the exact bytes, `rawHeaders` Node's list of header lines. */
export async function answerWebhook(
  { database, endpoint, handlers, onError }: Webhooks,
  body: Buffer,
  rawHeaders: readonly string[],
): Promise<ProviderAnswer> {
  try {
    const request = { body, headers: readHeaders(rawHeaders) };
    const acceptance = await acceptDelivery(endpoint, request, { nowMs: Date.now(), deliveryId: randomUUID() });
    switch (acceptance.outcome) {
      case 'rejected':
        return { status: 401 };
      case 'too_large':
        return { status: 413 };
      case 'unavailable':
        return { status: 503 };
      case 'handshake':
        return acceptance.answer;
      case 'accepted':
        // Returns after COMMIT, whatever the outcome, so what comes back may be acknowledged.
        await receiveAndProcess(database, acceptance.delivery, handlers);
        return endpoint.scheme.accepted ?? { status: 200 };
    }
  } catch (error) {
    // Nothing is acknowledged, so the provider sends it again. Where it was committed after all, that is a duplicate.
    onError(error);
    return { status: 503 };
  }
}
