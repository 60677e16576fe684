import { createHmac } from 'node:crypto';

/**
 * The three headers of the Standard Webhooks specification: `webhook-id`, `webhook-timestamp` in seconds, and `webhook-signature` with
 * one `v1` signature for each key, so that a receiver may change its key while both are valid.
 */
export function signatureHeaders(
  { id, body, nowMs }: { readonly id: string; readonly body: string; readonly nowMs: number },
  keys: readonly Uint8Array[],
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
