import { z } from 'zod';
import type { Environment } from './environment.ts';
import { judgeSecret, type SecretJudge } from './judge-secret.ts';
import type { Problem } from './problem.ts';
import { shapeProblems } from './shape-problems.ts';
import { type Secret, sealSecret } from './secret.ts';
import { readSecretSource } from './secret-source.ts';
import { looksRandom, mayBeSecret } from './shown.ts';

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

/** The secrets of one endpoint, those that are right; everything else is reported. */
export function readEndpointSecrets(
  entries: readonly unknown[],
  place: string,
  context: SecretsContext,
): readonly SourcedSecret[] {
  const read: SourcedSecret[] = [];
  for (const [index, entry] of entries.entries()) {
    const name = `${place}[${index}]`;
    const sourced = readOne(entry, name, context);
    if (sourced === null) continue;
    const twin = read.find(
      ({ secret }) => secret.label === sourced.secret.label || secret.value === sourced.secret.value,
    );
    if (twin === undefined) read.push(sourced);
    else context.report({ name, ...twinComplaint(twin.secret, sourced.secret) });
  }
  return read;
}

const entrySchema = z.preprocess(
  (entry) => (typeof entry === 'string' ? { from: entry } : entry),
  z.strictObject({ from: z.string(), label: z.string().regex(labelForm()).optional() }),
);

function labelForm(): RegExp {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
}

function readOne(entry: unknown, name: string, context: SecretsContext): SourcedSecret | null {
  const shape = entrySchema.safeParse(entry);
  if (!shape.success) {
    for (const problem of shapeProblems(shape.error, entry, name, entryShape)) {
      context.report(problem);
    }
    return null;
  }
  const reading = readSecretSource(shape.data.from, context);
  if ('complaint' in reading) {
    context.report({ name, ...reading.complaint });
    return null;
  }
  const { value, from } = reading;
  const judged = judgeSecret(value, context.judge);
  if (judged !== null) context.report({ name: `${name} (${from})`, ...judged });

  const label = shape.data.label ?? reading.label;
  if (betrays(label, value, context.judge)) {
    context.report({
      name: `${name}.label`,
      found: 'a label that looks like a secret (not shown)',
      right: rightOf.label,
    });
    return null;
  }
  if (!labelForm().test(label)) {
    context.report({
      name,
      found: 'a file name that cannot be a label',
      right: '{ "label": "...", "from": "file:..." }',
    });
    return null;
  }
  return judged === null ? { secret: sealSecret(label, value), from } : null;
}

const rightOf = {
  from: '"env:NAME" or "file:PATH"',
  label: 'a short name for people, letters, digits and . _ -, for example "2026-11"',
};

const entryShape = { keys: ['from', 'label'], right: rightOf, unquoted: ['from', 'label'] };

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
