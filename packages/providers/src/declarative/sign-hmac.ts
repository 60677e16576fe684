import { createHash } from 'node:crypto';
import { hmac } from '../match-hmac.ts';
import type { SignedDelivery } from '../provider.ts';
import type { HmacSignature } from './definition.ts';
import { keyOf, signedContent } from './signed-content.ts';

/** A delivery as the provider that speaks this scheme would send it; null where the secret is none of its keys. */
export function signHmac(
  definition: HmacSignature,
  body: Buffer,
  secret: string,
  nowMs: number,
): SignedDelivery | null {
  const key = keyOf(definition, secret);
  if (key === null) return null;
  const { signature, timestamp, idHeader } = definition;
  const time = String(timestamp?.unit === 'ms' ? nowMs : Math.floor(nowMs / 1000));
  const id = `msg_${createHash('sha256').update(body).digest('hex').slice(0, 24)}`;
  const content = signedContent(definition, { body, timestamp: time, id });
  const value = (signature.tag ?? '') + hmac(signature.algorithm, key, content).toString(signature.encoding);
  const entries = timestamp?.tag === undefined ? [value] : [timestamp.tag + time, value];
  return {
    body,
    headers: {
      'content-type': 'application/json',
      [signature.header]: entries.join(signature.separator ?? ','),
      ...(timestamp?.header === undefined ? {} : { [timestamp.header]: time }),
      ...(idHeader === undefined ? {} : { [idHeader]: id }),
    },
  };
}
