import { formatEventKey } from '@mailroom/kernel';
import type { OutgoingMessage } from '@mailroom/outbox';

/**
 * What receivers get: `id`, `type`, `timestamp`, `aggregate`, `source` and `data`, in the order that the Standard Webhooks specification
 * recommends for its three. The same bytes at every attempt, for it holds nothing of the attempt; numbers keep every digit.
 */
export function envelopeOf(message: OutgoingMessage, id: string): string {
  const head = JSON.stringify({
    id,
    type: message.topic,
    timestamp: message.createdAt.toISOString(),
    aggregate: message.aggregate,
    source: message.source && formatEventKey(message.source),
  });
  return `${head.slice(0, -1)},"data":${message.payloadText}}`;
}
