/** What the configuration must know of a provider, so that it needs no import of the providers. */
export interface ProviderRules {
  readonly name: string;
  /** What is wrong with a secret, in words that never repeat it ("does not start with whsec_"); null when nothing is. */
  readonly secretProblem: (value: string) => string | null;
}
