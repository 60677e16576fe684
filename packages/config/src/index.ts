export type * from './config.ts';
export {
  type ConfigDescription,
  type DescribedEndpoint,
  type DescribedSetting,
  describeConfig,
  type ValueSource,
} from './describe-config.ts';
export type { DescribedSink } from './describe-sink.ts';
export type { Environment } from './environment.ts';
export { loadConfig, secretsOf } from './load-config.ts';
export { ensureLocalSecret, localSecretPath } from './local-secret.ts';
export type { ConfiguredRules, ProviderRules, SecretRules, WrongOption } from './provider-rules.ts';
export type { ConfigSources } from './resolve.ts';
export { type Secret, type SecretWindow, sealSecret, validityOf } from './secret.ts';
export type { Role } from './setting.ts';
export type { HttpSinkConfig, LogSinkConfig, NatsSinkConfig, SinkConfig } from './sink-config.ts';
