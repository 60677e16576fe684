import type { SecretRules } from './provider-rules.ts';
import type { Complaint } from './secret-source.ts';

/** Judges the secrets of one endpoint. */
export interface SecretJudge extends SecretRules {
  /** For the message. */
  readonly provider: string;
}

/** What is wrong with the value of a secret, in words that hold no part of it; null when nothing is. */
export function judgeSecret(value: string, judge: SecretJudge | undefined): Complaint | null {
  const right = `the secret exactly as ${judge?.provider ?? 'the provider'} shows it`;
  if (value === '') return { found: 'an empty secret', right };
  if (value.trim() !== value) {
    return {
      found: 'a secret with white space or a line break at its start or end',
      right: `${right}, nothing around it`,
    };
  }
  if (/^(["'`]).*\1$/s.test(value))
    return { found: 'a secret in quotation marks', right: `${right}, without quotation marks` };
  if (invisible.test(value)) return { found: 'a secret with line breaks or invisible characters in it', right };
  const problem = judge?.secretProblem(value) ?? null;
  if (problem === null) return null;
  // The contract of a provider says that it never repeats the secret; a message is no place to find out otherwise.
  return {
    found: problem.includes(value) ? 'a secret that is not one of this provider' : `a secret that ${problem}`,
    right,
  };
}

// Control and format characters: a byte order mark, a zero-width space, a bidirectional mark.
const invisible = /[\p{Cc}\p{Cf}]/u;
