import type { Logger } from '@mailroom/kernel';
import type { Sink } from '@mailroom/outbox';

/**
 * Writes one line a message, without its payload, and calls it sent: for development, where nobody is there to receive it.
 */
export function createLogSink({ name, log }: { readonly name: string; readonly log: Logger }): Sink {
  return {
    name,
    send: ({ id, topic, aggregate, fencingToken, payloadText }) => {
      log.info('message_logged', {
        message: id,
        topic,
        aggregate,
        fence: fencingToken,
        payload_bytes: Buffer.byteLength(payloadText),
      });
      return Promise.resolve({ outcome: 'sent' });
    },
  };
}
