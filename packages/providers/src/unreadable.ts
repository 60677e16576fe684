import { hashOf } from './event-id.ts';
import type { Reading } from './provider.ts';

/**
 * A verified delivery whose event cannot be named: kept under the hash of its bytes, so a retry of it is a duplicate. The
 * reason must not quote the body.
 */
export function unreadable(body: Buffer, reason: string): Reading {
  return {
    outcome: 'unreadable',
    reason,
    event: {
      eventId: hashOf(body),
      eventType: 'unreadable',
      objectKey: null,
      providerTime: null,
      apiVersion: null,
      account: null,
      livemode: null,
      itemPath: null,
    },
  };
}
