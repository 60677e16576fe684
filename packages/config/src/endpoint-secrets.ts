import { z } from 'zod';
import type { Environment } from './environment.ts';
import { judgeSecret, type SecretJudge } from './judge-secret.ts';
import type { Problem } from './problem.ts';
import { type Secret, type SecretWindow, sealSecret } from './secret.ts';
import { type FoundSecret, readSecretSource } from './secret-source.ts';
import { shapeProblems } from './shape-problems.ts';
import { looksRandom, mayBeSecret, shown } from './shown.ts';

/** A secret and where it came from: `env:NAME`, `file:/PATH`. */
export interface SourcedSecret {
  readonly secret: Secret;
  readonly from: string;
}

export interface SecretsContext {
  readonly env: Environment;
  /** The folder of the endpoints file: relative paths start there. */
  readonly folder: string;
  /** Undefined where provider or options are wrong, so that nobody knows what a secret should look like. */
  readonly judge: SecretJudge | undefined;
  readonly report: (problem: Problem) => void;
}

/** Every secret is tried on every delivery, so their number is bounded. */
export const maxSecrets = 16;

/** The secrets of one endpoint; null where anything of them is wrong, all of which has then been reported. */
export function readEndpointSecrets(
  entries: readonly unknown[],
  place: string,
  context: SecretsContext,
): readonly SourcedSecret[] | null {
  const read: SourcedSecret[] = [];
  let reported = 0;
  const report = (problem: Problem): void => {
    reported += 1;
    context.report(problem);
  };
  for (const [index, entry] of entries.entries()) {
    const name = `${place}[${index}]`;
    for (const sourced of readEntry(entry, name, { ...context, report })) {
      const twin = read.find(
        ({ secret }) => secret.label === sourced.secret.label || secret.value === sourced.secret.value,
      );
      if (twin === undefined) read.push(sourced);
      else report({ name, ...twinComplaint(twin.secret, sourced.secret) });
    }
  }
  if (read.length > maxSecrets) {
    report({ name: place, found: `${read.length} secrets`, right: `at most ${maxSecrets}` });
  }
  return reported === 0 ? read : null;
}

const labelForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
// With an offset: a time without one is another moment on another machine.
const moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const entrySchema = z.preprocess(
  (entry) => (typeof entry === 'string' ? { from: entry } : entry),
  z.strictObject({
    from: z.string(),
    label: z.string().regex(labelForm).optional(),
    notBefore: moment.optional(),
    notAfter: moment.optional(),
  }),
);

function readEntry(entry: unknown, name: string, context: SecretsContext): readonly SourcedSecret[] {
  const shape = entrySchema.safeParse(entry);
  if (!shape.success) {
    for (const problem of shapeProblems(shape.error, entry, name, entryShape)) context.report(problem);
    return [];
  }
  const { from, label, notBefore, notAfter } = shape.data;
  const window = { ...(notBefore && { notBefore }), ...(notAfter && { notAfter }) };
  if (notBefore && notAfter && notBefore >= notAfter) {
    context.report({ name: `${name}.notAfter`, found: 'a time not after notBefore', right: 'a later one' });
  }
  if (label !== undefined && from.startsWith('dir:')) {
    context.report({
      name: `${name}.label`,
      found: shown(label),
      right: 'none: the files of a folder name the labels',
    });
    return [];
  }
  const reading = readSecretSource(from, context);
  for (const complaint of reading.complaints) context.report({ name, ...complaint });
  return reading.secrets.flatMap((found) => {
    const secret = accepted({ ...found, label: label ?? found.label }, window, name, context);
    return secret === null ? [] : [{ secret, from: found.from }];
  });
}

function accepted(
  { value, label, from }: FoundSecret,
  window: SecretWindow,
  name: string,
  { judge, report }: SecretsContext,
): Secret | null {
  const judged = judgeSecret(value, judge);
  if (judged !== null) report({ name: `${name} (${from})`, ...judged });
  if (betrays(label, value, judge)) {
    report({ name: `${name}.label`, found: 'a label that looks like a secret (not shown)', right: rightOf.label });
    return null;
  }
  if (!labelForm.test(label)) {
    report({ name, found: 'a file name that cannot be a label', right: '{ "label": "...", "from": "file:..." }' });
    return null;
  }
  return judged === null ? sealSecret(label, value, window) : null;
}

const rightTime = 'a time with its offset, for example "2026-12-01T00:00:00Z"';
const rightOf = {
  from: '"env:NAME", "file:PATH" or "dir:PATH"',
  label: 'a short name for people, letters, digits and . _ -, for example "2026-11"',
  notBefore: rightTime,
  notAfter: rightTime,
};

const entryShape = { keys: Object.keys(rightOf), right: rightOf, unquoted: Object.keys(rightOf) };

function twinComplaint(first: Secret, second: Secret): { found: string; right: string } {
  if (first.value === second.value) return { found: `the same secret as "${first.label}"`, right: 'each secret once' };
  return { found: `the label "${second.label}" again`, right: 'a label of its own: { "label": "...", "from": "..." }' };
}

/** Labels are stored and shown, so one that is a secret, or a piece of one, must never become a label. */
function betrays(label: string, value: string, judge: SecretJudge | undefined): boolean {
  if (value !== '' && label.includes(value)) return true;
  if (label.length >= 6 && value.includes(label)) return true;
  // To many providers any text of some length is a secret, and so is the name of a variable: it takes both.
  if (judge !== undefined && judge.secretProblem(label) === null && looksRandom(label)) return true;
  return /^(whsec|sk|rk)_/.test(label) && mayBeSecret(label);
}
