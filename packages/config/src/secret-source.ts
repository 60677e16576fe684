import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type Environment, variable } from './environment.ts';

/** What a problem says, without its place. */
export interface Complaint {
  readonly found: string;
  readonly right: string;
}

export type SecretReading =
  | { readonly value: string; readonly label: string; readonly from: string }
  | { readonly complaint: Complaint };

/**
 * Reads a secret from where `env:NAME` or `file:PATH` says. One line break at the end of a file is not part of the secret:
 * editors, `echo` and `kubectl create secret --from-file` leave one. Everything else is kept as it is, to be judged.
 *
 * The reference itself is quoted in a complaint only when its form shows that it is not a secret pasted in place of one:
 * a variable in capitals with an underscore, a path that begins with `/`, `./` or `../`.
 */
export function readSecretSource(reference: string, context: { env: Environment; folder: string }): SecretReading {
  if (reference.startsWith('env:')) return readVariable(reference.slice('env:'.length), context.env);
  if (reference.startsWith('file:')) return readSecretFile(reference.slice('file:'.length), context.folder);
  return complaint(
    'a text that begins with neither env: nor file: (not shown, it may be the secret itself)',
    rightForm,
  );
}

const rightForm = '"env:NAME" or "file:PATH", saying where the secret is; the file never holds a secret itself';

function readVariable(name: string, env: Environment): SecretReading {
  if (!/^[A-Z_][A-Z0-9_]*$/.test(name)) {
    return complaint(
      'env: with something else than the name of a variable (not shown)',
      'env:NAME, capitals, digits and _',
    );
  }
  const called = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(name) ? name : 'the variable named there';
  const value = variable(env, name);
  if (value !== undefined) return { value, label: name, from: `env:${name}` };
  return complaint(`that ${called} is not set`, `${called} holding the secret`);
}

function readSecretFile(path: string, folder: string): SecretReading {
  if (!/^(\.{0,2}\/|[A-Za-z]:[\\/])/.test(path)) {
    return complaint(
      'file: with something else than a path (not shown)',
      'file:/PATH, or file:./PATH beside the endpoints file',
    );
  }
  const absolute = resolve(folder, path);
  const right = 'a readable text file that holds the secret and nothing else';
  try {
    if (statSync(absolute).size > maxFileBytes) return complaint(`that ${absolute} is too large for a secret`, right);
    const text = strictUtf8.decode(readFileSync(absolute));
    return { value: text.replace(/\r?\n$/, ''), label: basename(absolute), from: `file:${absolute}` };
  } catch (error) {
    return complaint(`that ${absolute} ${whyUnreadable(error)}`, right);
  }
}

const maxFileBytes = 16_384;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Why a file cannot be read, without a word of what is in it. */
export function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'EACCES') return 'may not be read by this process';
  if (code === 'EISDIR') return 'is a folder';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'is not UTF-8 text';
  return 'cannot be read';
}

function complaint(found: string, right: string): SecretReading {
  return { complaint: { found, right } };
}
