import type { HmacSignature } from './definition.ts';
import { partsOf } from './template.ts';

/** What stands for the placeholders of the signed content. */
export interface SignedValues {
  readonly body: Buffer;
  readonly timestamp: string;
  readonly id: string;
}

/** The bytes that the provider signs, in pieces, so that the body is neither copied nor decoded. */
export function signedContent(definition: HmacSignature, values: SignedValues): readonly (string | Buffer)[] {
  return partsOf(definition.signature.content).map((part) => {
    if ('text' in part) return part.text;
    switch (part.name) {
      case 'body':
        return values.body;
      case 'timestamp':
        return values.timestamp;
      case 'id':
        return values.id;
      case 'url':
        return definition.url ?? '';
      default:
        throw new Error(`{${part.name}} has no meaning in signed content`);
    }
  });
}

/** The key of a configured secret, or null where the text is not one in this encoding. */
export function keyOf({ secret }: HmacSignature, value: string): string | Buffer | null {
  const prefix = secret?.prefix ?? '';
  if (!value.startsWith(prefix)) return null;
  const text = value.slice(prefix.length);
  switch (secret?.encoding ?? 'text') {
    case 'text':
      return text;
    case 'hex':
      return /^([0-9A-Fa-f]{2})+$/.test(text) ? Buffer.from(text, 'hex') : null;
    case 'base64':
      // Both alphabets, with or without padding: what an operator pastes is no signature, and only one key comes of it.
      return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
  }
}

/** Bytes of a signature, by algorithm. */
export const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const;
