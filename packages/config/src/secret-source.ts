import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Environment, variable } from './environment.ts';

/** What a problem says, without its place. */
export interface Complaint {
  readonly found: string;
  readonly right: string;
}

/** One secret as it was found, with the label it has unless it is given another. */
export interface FoundSecret {
  readonly value: string;
  readonly label: string;
  /** `env:NAME` or `file:/PATH`. */
  readonly from: string;
}

/** What a reference names: at least one secret, or what is wrong, perhaps beside secrets that are right. */
export interface SecretReading {
  readonly secrets: readonly FoundSecret[];
  readonly complaints: readonly Complaint[];
}

/**
 * Reads what `env:NAME`, `file:PATH` or `dir:PATH` names. One line break at the end of a file is not part of the secret:
 * editors, `echo` and `kubectl create secret --from-file` leave one. Everything else is kept as it is, to be judged.
 *
 * The reference itself is quoted in a complaint only when its form shows that it is not a secret pasted in place of one:
 * a variable in capitals with an underscore, a path that begins with `/`, `./` or `../`.
 */
export function readSecretSource(reference: string, context: { env: Environment; folder: string }): SecretReading {
  const [kind, rest] = divided(reference);
  if (kind === 'env') return readVariable(rest, context.env);
  if (kind !== 'file' && kind !== 'dir') {
    return complaint(
      'a text that begins with none of env:, file: and dir: (not shown, it may be the secret itself)',
      rightForm,
    );
  }
  if (!/^(\.{0,2}\/|[A-Za-z]:[\\/])/.test(rest)) {
    const right = `${kind}:/PATH, or ${kind}:./PATH beside the endpoints file`;
    return complaint(`${kind}: with something else than a path (not shown)`, right);
  }
  const path = resolve(context.folder, rest);
  return kind === 'file' ? readSecretFile(path) : readSecretFolder(path);
}

const rightForm =
  '"env:NAME", "file:PATH" or "dir:PATH", saying where the secret is; the file never holds a secret itself';

function divided(reference: string): readonly [string, string] {
  const colon = reference.indexOf(':');
  return colon < 0 ? ['', reference] : [reference.slice(0, colon), reference.slice(colon + 1)];
}

function readVariable(name: string, env: Environment): SecretReading {
  if (!/^[A-Z_][A-Z0-9_]*$/.test(name)) {
    return complaint(
      'env: with something else than the name of a variable (not shown)',
      'env:NAME, capitals, digits and _',
    );
  }
  const called = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(name) ? name : 'the variable named there';
  const value = variable(env, name);
  if (value !== undefined) return { secrets: [{ value, label: name, from: `env:${name}` }], complaints: [] };
  return complaint(`that ${called} is not set`, `${called} holding the secret`);
}

function readSecretFile(path: string): SecretReading {
  const right = 'a readable text file that holds the secret and nothing else';
  try {
    if (statSync(path).size > maxFileBytes) return complaint(`that ${path} is too large for a secret`, right);
    const value = strictUtf8.decode(readFileSync(path)).replace(/\r?\n$/, '');
    return { secrets: [{ value, label: basename(path), from: `file:${path}` }], complaints: [] };
  } catch (error) {
    return complaint(`that ${path} ${whyUnreadable(error)}`, right);
  }
}

/**
 * Every file of a folder is a secret, its name the label. Names with a dot in front are none: Kubernetes keeps the files
 * themselves under `..data` and a dated folder, and puts links to them beside it. A file that vanishes between two looks
 * (Kubernetes has just swapped the folder) is a complaint; the next reload finds it whole.
 */
function readSecretFolder(path: string): SecretReading {
  const right = 'a readable folder with one file a secret';
  let names: readonly string[];
  try {
    names = readdirSync(path)
      .filter((name) => !name.startsWith('.'))
      .toSorted();
  } catch (error) {
    return complaint(`that ${path} ${whyUnreadable(error)}`, right);
  }
  if (names.length === 0) return complaint(`that ${path} holds no files`, right);
  if (names.length > maxFiles) return complaint(`${names.length} files in ${path}`, `at most ${maxFiles}`);
  const readings = names.map((name) => readSecretFile(join(path, name)));
  return {
    secrets: readings.flatMap(({ secrets }) => secrets),
    complaints: readings.flatMap(({ complaints }) => complaints),
  };
}

const maxFileBytes = 16_384;
// More than an endpoint may have; a folder that holds something else is not read through.
const maxFiles = 64;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Why a file cannot be read, without a word of what is in it. */
export function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'EACCES') return 'may not be read by this process';
  if (code === 'EISDIR') return 'is a folder';
  if (code === 'ENOTDIR') return 'is not a folder';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'is not UTF-8 text';
  return 'cannot be read';
}

function complaint(found: string, right: string): SecretReading {
  return { secrets: [], complaints: [{ found, right }] };
}
