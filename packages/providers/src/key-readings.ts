import type { Secret } from './provider.ts';

/** Another way to make a key of a secret's text than the scheme's own. */
export interface KeyReading {
  /** Completes "the signature is right when the secret is ...". */
  readonly how: string;
  readonly secret: Secret;
}

/** The wrong readings that senders and operators commonly fall into; those that give a key at all. */
export function keyReadings({ label, value }: Secret): readonly KeyReading[] {
  const bare = value.replace(/^[a-z]{2,10}_/, '');
  const readings: readonly (readonly [string, Buffer | null])[] = [
    ['taken as text, as it stands', Buffer.from(value)],
    ['decoded from base64', fromBase64(value)],
    ['taken without its prefix', bare === value ? null : Buffer.from(bare)],
    ['decoded from base64 without its prefix', bare === value ? null : fromBase64(bare)],
    ['decoded from hex', fromHex(value)],
    ['decoded from hex without its prefix', bare === value ? null : fromHex(bare)],
    ['taken as the text of its base64', Buffer.from(Buffer.from(value).toString('base64'))],
    ['followed by a line break', Buffer.from(`${value}\n`)],
    ['taken in lower case', value === value.toLowerCase() ? null : Buffer.from(value.toLowerCase())],
    ['taken in upper case', value === value.toUpperCase() ? null : Buffer.from(value.toUpperCase())],
  ];
  return readings.flatMap(([how, key]) => (key === null ? [] : [{ how, secret: { label, value, key } }]));
}

function fromBase64(text: string): Buffer | null {
  return /^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}

function fromHex(text: string): Buffer | null {
  return /^([0-9A-Fa-f]{2}){8,}$/.test(text) ? Buffer.from(text, 'hex') : null;
}
