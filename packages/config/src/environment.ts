/** Environment variables, as `process.env` has them. An empty one counts as not set, for that is what Compose makes of a missing one. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable, or undefined where it is not set or empty. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}
