import { z } from 'zod';
import type { SecretJudge } from './judge-secret.ts';
import { nearest } from './nearest.ts';
import type { Problem } from './problem.ts';
import type { ProviderRules } from './provider-rules.ts';
import { shown } from './shown.ts';

/** Whose scheme an endpoint speaks, and what its options are; null where that cannot be said. */
export interface EndpointScheme {
  readonly scheme: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly judge: SecretJudge;
}

export interface SchemeContext {
  readonly providers: readonly ProviderRules[];
  readonly report: (problem: Problem) => void;
}

/**
 * Reads `provider`, `scheme` and `options` of an entry, which mean something only together; all that is wrong is reported.
 * A provider that is not registered is received by naming a registered one whose scheme it speaks.
 */
export function readEndpointScheme(entry: unknown, place: string, context: SchemeContext): EndpointScheme | null {
  const { provider, scheme, options } = partsSchema.parse(entry);
  const names = context.providers.map(({ name }) => name);
  const report = (key: string, found: unknown, right: string): null => {
    context.report({ name: `${place}.${key}`, found: shown(found), right });
    return null;
  };

  if (typeof provider !== 'string' || !providerForm.test(provider))
    return report('provider', provider, rightName(names));
  const registered = names.includes(provider);
  if (scheme === undefined && !registered) {
    const meant = nearest(provider, names);
    return report('provider', provider, meant === null ? rightName(names) : `"${meant}"`);
  }
  if (registered && scheme !== undefined && scheme !== provider) {
    return report('scheme', scheme, `none: "${provider}" has its own; a name of your own may take another's`);
  }
  const rules = context.providers.find(({ name }) => name === (scheme ?? provider));
  if (rules === undefined) {
    const meant = typeof scheme === 'string' ? nearest(scheme, names) : null;
    return report('scheme', scheme, meant === null ? `one of ${listed(names)}` : `"${meant}"`);
  }
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return report('options', options, 'an object; docs/providers.md lists the options of each provider');
  }
  const given = options as Readonly<Record<string, unknown>>;
  const configured = rules.configure(given);
  if (configured.outcome === 'configured') {
    return {
      scheme: rules.name,
      options: given,
      judge: { provider, secretProblem: configured.scheme.secretProblem },
    };
  }
  for (const { path, right } of configured.problems) {
    report(['options', ...path.map(shownKey)].join('.'), valueAt(given, path), right);
  }
  return null;
}

const anything = z.unknown().optional();
const partsSchema = z
  .object({ provider: anything, scheme: anything, options: z.unknown().default({}) })
  .catch({ options: {} });

// The same as the CHECK provider_is_a_name of webhook_inbox.
const providerForm = /^[a-z][a-z0-9-]{0,62}$/;

function rightName(names: readonly string[]): string {
  return `one of ${listed(names)}, or a name of your own beside a "scheme"`;
}

function listed(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

/** A key of letters can be quoted; anything else might be a secret that slipped to the left of its colon. */
function shownKey(key: string | number): string {
  return typeof key === 'number' || /^[A-Za-z]{1,24}$/.test(key) ? String(key) : '(not shown)';
}

function valueAt(options: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((at, key) => {
    return typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[key] : undefined;
  }, options);
}
