import { z } from 'zod';
import type { Configured, EndpointOptions, OptionProblem, Provider, Scheme } from './provider.ts';

/**
 * The `configure` of a provider whose endpoints have options: `schema` is a strict object whose checks carry the words of
 * what would be right as their error, `z.url({ error: 'the URL exactly as ...' })`. `open` gets the options it describes.
 */
export function withOptions<S extends z.ZodType>(
  schema: S,
  open: (options: z.output<S>) => Scheme,
): Provider['configure'] {
  return (options: EndpointOptions): Configured => {
    // Where a check has no words of its own; zod's would be no answer to "what would be right".
    const parsed = schema.safeParse(options, { error: () => 'a value as docs/providers.md describes it' });
    if (parsed.success) return { outcome: 'configured', scheme: open(parsed.data) };
    return { outcome: 'invalid', problems: parsed.error.issues.flatMap((issue) => problemsOf(issue)) };
  };
}

/** The `configure` of a provider whose endpoints have no options. */
export function withoutOptions(scheme: Scheme): Provider['configure'] {
  return withOptions(z.strictObject({}), () => scheme);
}

function problemsOf(issue: z.core.$ZodIssue): OptionProblem[] {
  const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  if (issue.code !== 'unrecognized_keys') return [{ path, right: issue.message }];
  return issue.keys.map((key) => ({ path: [...path, key], right: 'no such option (docs/providers.md lists them)' }));
}
