import { readApiKey } from './api-key.ts';
import type { SourcedEndpoint } from './endpoint-entry.ts';
import { resolveEndpoints } from './endpoints.ts';
import { type Environment, variable } from './environment.ts';
import { defaultOf, parseSetting } from './parse-setting.ts';
import type { Problem } from './problem.ts';
import type { ProviderRules } from './provider-rules.ts';
import { checkRetention } from './retention.ts';
import { rules } from './rules.ts';
import type { Role, Setting } from './setting.ts';
import { type SettingKey, type SettingValues, settings } from './settings.ts';
import type { SourcedSink } from './sink-entry.ts';
import { resolveSinks } from './sinks-file.ts';
import { unknownVariables } from './unknown-variables.ts';

/** Where the configuration comes from. */
export interface ConfigSources {
  /** Usually `process.env`. */
  readonly env: Environment;
  /** Relative paths start here; usually `process.cwd()`. */
  readonly cwd: string;
  /** Judges of the secrets; the registry of `@mailroom/providers` is one. */
  readonly providers: readonly ProviderRules[];
}

/** Everything that could be read, and everything that is wrong with it. */
export interface Resolution {
  readonly values: SettingValues;
  /** The keys whose value the environment gave. */
  readonly given: ReadonlySet<SettingKey>;
  /** The keys of `given` whose text was refused; their value is the default. */
  readonly invalid: ReadonlySet<SettingKey>;
  readonly endpoints: readonly SourcedEndpoint[];
  readonly sinks: readonly SourcedSink[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/**
 * Reads every setting that a role needs and its endpoints, reporting all problems rather than the first. With
 * `mayCreate`, and only when nothing is wrong, the role `local` generates its secret.
 */
export function resolveConfig(role: Role, sources: ConfigSources, mayCreate: boolean): Resolution {
  const problems: Problem[] = [];
  const report = (problem: Problem): void => void problems.push(problem);
  const { values, given, invalid } = readSettings(role, sources, report);
  for (const rule of rules) {
    if (!rule.roles.includes(role) || rule.holds(values)) continue;
    // What a refused value would have broken is not known yet.
    if (settings.some(({ name, key }) => rule.names.includes(name) && invalid.has(key))) continue;
    const [name, ...others] = rule.names;
    const beside = others.map((other) => `${other}=${String(valueOf(values, other))}`).join(', ');
    const found = `${String(valueOf(values, name))} beside ${beside}`;
    report({ name, found, right: `${rule.statement}, for ${rule.why}` });
  }
  const endpoints = needsEndpoints(role) ? readEndpoints() : [];
  const sinks = sendsMessages(role) ? readSinks() : [];
  const stripeApiKey = readApiKey(values.stripeApiKey, sources, report);
  if (role !== 'reconcile') checkBodyLimits(endpoints, values, report);
  checkRetention(endpoints, values, sources.providers, report);
  return {
    values: { ...values, stripeApiKey },
    given,
    invalid,
    endpoints,
    sinks,
    problems,
    warnings: unknownVariables(sources.env),
  };

  function readSinks(): readonly SourcedSink[] {
    const { sinksFile: file } = values;
    const sourced = resolveSinks({ file, fileIsNamed: given.has('sinksFile'), env: sources.env, report });
    checkSinkTimeouts(sourced, values['outbox.sendTimeoutMs'], report);
    return sourced;
  }

  function readEndpoints(): readonly SourcedEndpoint[] {
    const generated = mayCreate && problems.length === 0 ? 'create' : 'show';
    return resolveEndpoints(
      {
        home: values.home,
        file: values.endpointsFile,
        fileIsNamed: given.has('endpointsFile'),
        stripeSecret: values.stripeWebhookSecret,
        generated: role === 'local' ? generated : 'refuse',
      },
      { env: sources.env, providers: sources.providers, report, reads: role === 'reconcile' ? 'keys' : 'secrets' },
    );
  }
}

/** Those that verify deliveries, and the one that asks for what was missed. */
function needsEndpoints(role: Role): boolean {
  return role === 'ingest' || role === 'reconcile' || role === 'local';
}

function sendsMessages(role: Role): boolean {
  return role === 'worker' || role === 'local';
}

function readSettings(role: Role, { env, cwd }: ConfigSources, report: (problem: Problem) => void) {
  const given = new Set<SettingKey>();
  const invalid = new Set<SettingKey>();
  const table: readonly (Setting & { readonly key: SettingKey })[] = settings;
  const entries = table.map((setting) => {
    const standard = defaultOf(setting, cwd);
    const text = variable(env, setting.name);
    if (text === undefined || !setting.roles.includes(role)) return [setting.key, standard];
    given.add(setting.key);
    const parsed = parseSetting(setting, text, cwd);
    if ('value' in parsed) return [setting.key, parsed.value];
    invalid.add(setting.key);
    report({ name: setting.name, ...parsed.problem });
    return [setting.key, standard];
  });
  // The table gives every key, and parseSetting the type of its kind.
  return { values: Object.fromEntries(entries) as SettingValues, given, invalid };
}

function valueOf(values: SettingValues, name: string): unknown {
  const setting = settings.find((candidate) => candidate.name === name);
  return setting === undefined ? undefined : values[setting.key];
}

/** An attempt is cut off by the relay, which would make a longer timeout of a sink a promise that is not kept. */
function checkSinkTimeouts(sinks: readonly SourcedSink[], most: number, report: (problem: Problem) => void): void {
  for (const { sink } of sinks) {
    if (sink.type === 'log' || sink.timeoutMs <= most) continue;
    const found = `${most}, less than timeoutMs ${sink.timeoutMs} of the sink ${sink.name}`;
    report({ name: 'OUTBOX_SEND_TIMEOUT_MS', found, right: 'at least the largest timeoutMs of the sinks file' });
  }
}

/** A body that alone exceeds what may wait would be refused for ever, and its provider would try for days. */
function checkBodyLimits(
  endpoints: readonly SourcedEndpoint[],
  values: SettingValues,
  report: (problem: Problem) => void,
): void {
  const most = values['ingest.maxWaitingBytes'];
  for (const { endpoint } of endpoints) {
    if (endpoint.maxBodyBytes <= most) continue;
    report({
      name: 'INGEST_MAX_WAITING_BYTES',
      found: `${most}, less than maxBodyBytes ${endpoint.maxBodyBytes} of ${endpoint.provider}/${endpoint.endpoint}`,
      right: 'at least the largest maxBodyBytes, or such a delivery could never be stored',
    });
  }
}
