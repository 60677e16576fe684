import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CodedError, messageOf } from '@mailroom/kernel';
import { type Secret, sealSecret } from './secret.ts';

/**
 * Where the generated secret of `stripe/billing` stands: `<home>/stripe-webhook-secret`, the secret and a newline, for
 * the owner's eyes only (0600). A sender on the same machine reads it there.
 */
export function localSecretPath(home: string): string {
  return join(home, 'stripe-webhook-secret');
}

/**
 * The generated secret, labelled `generated`; made at the first call and the same ever after, also when two processes
 * make the first call at once. Throws `local_secret_unusable`, whose message never holds what the file holds.
 */
export function ensureLocalSecret(home: string): Secret {
  try {
    return readLocalSecret(home) ?? createLocalSecret(home);
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw new CodedError('local_secret_unusable', `${localSecretPath(home)}: ${messageOf(error)}`, { cause: error });
  }
}

/** The generated secret, or null where none was made yet. Throws like `ensureLocalSecret`. */
export function readLocalSecret(home: string): Secret | null {
  const path = localSecretPath(home);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw new CodedError('local_secret_unusable', `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  const value = text.trim();
  if (/^whsec_[A-Za-z0-9]{24,}$/.test(value)) return sealSecret('generated', value);
  throw new CodedError('local_secret_unusable', `${path} does not hold a secret; remove it and a new one is made`);
}

function createLocalSecret(home: string): Secret {
  const path = localSecretPath(home);
  mkdirSync(home, { recursive: true });
  // Written aside and linked into place, so that nobody ever reads half a secret and the first of two processes wins.
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `whsec_${randomBytes(24).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft);
  }
  const secret = readLocalSecret(home);
  if (secret === null) throw new CodedError('local_secret_unusable', `${path} vanished while it was made`);
  return secret;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
