import type { Environment } from './environment.ts';
import { judgeSecret } from './judge-secret.ts';
import type { Problem } from './problem.ts';
import { readSecretSource } from './secret-source.ts';

/** The key itself, whether it stands in `STRIPE_API_KEY` or in the file or the variable that is named there. */
export function readApiKey(
  given: string | null,
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
  report: (problem: Problem) => void,
): string | null {
  if (given === null) return null;
  const { secrets, complaints } = /^(file|env):/.test(given)
    ? readSecretSource(given, { env, folder: cwd })
    : { secrets: [{ value: given }], complaints: [] };
  const key = secrets[0]?.value ?? null;
  const judged = key === null ? null : judgeSecret(key, stripeKeys);
  for (const complaint of [...complaints, ...(judged ? [judged] : [])])
    report({ name: 'STRIPE_API_KEY', ...complaint });
  return key;
}

const stripeKeys = {
  provider: 'stripe',
  secretProblem: (value: string) => (/^(sk|rk)_/.test(value) ? null : 'begins with neither sk_ nor rk_'),
};
