/** What the configuration must know of a provider, so that it needs no import of the providers. */
export interface ProviderRules {
  readonly name: string;
  /** For how long it may send an event again, by itself or when asked; null or missing: not known. */
  readonly facts?: { readonly retryWindowMs: number | null; readonly replayWindowMs: number | null };
  /** Judges the `options` of an endpoint; the secrets are judged as these options say. */
  readonly configure: (options: Readonly<Record<string, unknown>>) => ConfiguredRules;
}

export type ConfiguredRules =
  | { readonly outcome: 'configured'; readonly scheme: SecretRules }
  | { readonly outcome: 'invalid'; readonly problems: readonly WrongOption[] };

export interface SecretRules {
  /** What is wrong with a secret, in words that never repeat it ("does not start with whsec_"); null when nothing is. */
  readonly secretProblem: (value: string) => string | null;
}

/** Quotes nothing of what is there. */
export interface WrongOption {
  /** The keys that lead to it. */
  readonly path: readonly (string | number)[];
  /** What would be right. */
  readonly right: string;
}
