/** One configured secret: the Basic credentials of a webhook and, where it signs, the key of its signature. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
  readonly signatureKey: string | null;
}

/**
 * Reads `user:password`, or `user:password key` where deliveries are signed too. A user has no colon (RFC 7617), and
 * neither part has a space; a password of Marqeta's may well have colons. Null: it is none of these.
 */
export function parseCredentials(secret: string): Credentials | null {
  const [, user, password, signatureKey = null] = /^([^\s:]+):(\S+)(?: (\S+))?$/.exec(secret) ?? [];
  return user === undefined || password === undefined ? null : { user, password, signatureKey };
}

/** What is wrong with the form of a configured secret, in words that never repeat it; null when nothing is. */
export function credentialsProblem(secret: string): string | null {
  if (secret === '') return 'is empty';
  if (/[^\x20-\x7e]/.test(secret)) return 'contains line breaks or characters outside printable ASCII';
  const credentials = parseCredentials(secret);
  if (credentials === null)
    return 'is not "user:password", or "user:password key" with one space before the signature key';
  const { user, password, signatureKey } = credentials;
  // The bounds of Marqeta's API reference ("Create webhook", config).
  if (user.length > 50) return 'has a user of more than 50 characters';
  if (password.length < 20 || password.length > 50) return 'has a password that is not 20 to 50 characters long';
  if (signatureKey !== null && (signatureKey.length < 20 || signatureKey.length > 50)) {
    return 'has a signature key that is not 20 to 50 characters long';
  }
  return null;
}

/** The `Authorization` header of these credentials (RFC 7617). */
export function basicHeader({ user, password }: Credentials): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
