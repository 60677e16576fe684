import { redactDatabaseUrl } from './database-url.ts';
import { type DescribedSink, describeSink } from './describe-sink.ts';
import { formatProblem } from './problem.ts';
import { type ConfigSources, type Resolution, resolveConfig } from './resolve.ts';
import type { SecretWindow } from './secret.ts';
import type { Role, Setting } from './setting.ts';
import { type SettingKey, settings } from './settings.ts';

/** Where a value came from. */
export type ValueSource = 'environment' | 'default' | { readonly file: string };

/** One setting as it holds, fit to be shown. */
export interface DescribedSetting {
  readonly name: string;
  /** The value as text; `[redacted]` for a secret, `(invalid)` for one that a problem speaks of, `(none)` for no value. */
  readonly value: string;
  readonly source: ValueSource;
  readonly roles: readonly Role[];
  readonly description: string;
}

/** One endpoint as it holds, fit to be shown: labels and places of its secrets, never their values. */
export interface DescribedEndpoint {
  readonly provider: string;
  /** Whose scheme it speaks; usually its own. */
  readonly scheme: string;
  readonly endpoint: string;
  readonly toleranceMs: number;
  readonly maxBodyBytes: number;
  readonly keepRejectedBodies: boolean;
  readonly source: ValueSource;
  /** `from` is `env:NAME` or `file:/PATH`. */
  readonly secrets: readonly DescribedSecret[];
  /** Where its API key for reconciliation is, `env:NAME` or `file:PATH`; null: it has none of its own. */
  readonly reconcileKeyFrom: string | null;
}

export interface DescribedSecret extends SecretWindow {
  readonly label: string;
  readonly value: '[redacted]';
  readonly from: string;
}

/** The whole configuration for people and for `--json`: plain data without a secret in it. */
export interface ConfigDescription {
  readonly role: Role;
  readonly settings: readonly DescribedSetting[];
  readonly endpoints: readonly DescribedEndpoint[];
  readonly sinks: readonly DescribedSink[];
  /** The lines that `loadConfig` would throw; empty when all is well. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Describes what a role would run with, and what is wrong with it. Reads the endpoints file and the secrets to check
 * them, shows none, writes nothing. Never throws because of what is configured.
 */
export function describeConfig(role: Role, sources: ConfigSources): ConfigDescription {
  const resolution = resolveConfig(role, sources, false);
  return {
    role,
    settings: (settings as readonly Row[])
      .filter((setting) => setting.roles.includes(role))
      .map((setting) => describeSetting(setting, resolution)),
    endpoints: resolution.endpoints.map(({ endpoint, secretsFrom, keyFrom, file }) => ({
      provider: endpoint.provider,
      scheme: endpoint.scheme,
      endpoint: endpoint.endpoint,
      toleranceMs: endpoint.toleranceMs,
      maxBodyBytes: endpoint.maxBodyBytes,
      source: file === null ? 'default' : { file },
      keepRejectedBodies: endpoint.keepRejectedBodies,
      reconcileKeyFrom: keyFrom,
      // A spread copy lacks the value.
      secrets: endpoint.secrets.map((secret, index) => ({
        ...secret,
        value: '[redacted]',
        from: secretsFrom[index] ?? '',
      })),
    })),
    sinks: resolution.sinks.map(describeSink),
    problems: resolution.problems.map(formatProblem),
    warnings: resolution.warnings,
  };
}

type Row = Setting & { readonly key: SettingKey };

function describeSetting(setting: Row, { values, given, invalid }: Resolution): DescribedSetting {
  const { name, key, roles, description } = setting;
  const value = invalid.has(key) ? '(invalid)' : show(setting, values[key]);
  return { name, value, source: given.has(key) ? 'environment' : 'default', roles, description };
}

function show(setting: Setting, value: string | number | null): string {
  if (value === null) return '(none)';
  if (setting.kind === 'secret') return '[redacted]';
  if (setting.kind === 'databaseUrl') return redactDatabaseUrl(String(value));
  return String(value);
}
