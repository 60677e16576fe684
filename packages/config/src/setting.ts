/**
 * Which process is being configured. `local` is `npm start`: it checks what every process it starts will need. `reconcile` is
 * `mailroom reconcile`, which alone asks providers: it reads their keys, and no signing secret.
 */
export type Role = 'ingest' | 'worker' | 'ops' | 'reconcile' | 'local';

interface SettingBase {
  /** The environment variable. A duration or a size carries its unit in the name. */
  readonly name: string;
  /** Where the value stands in `Config`, dotted. */
  readonly key: string;
  /** The roles that read it. For any other role the variable is not even looked at. */
  readonly roles: readonly Role[];
  /** One sentence, for docs/configuration.md and `mailroom config`. */
  readonly description: string;
}

export interface IntegerSetting extends SettingBase {
  readonly kind: 'integer';
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

export interface ChoiceSetting extends SettingBase {
  readonly kind: 'choice';
  readonly default: string;
  readonly choices: readonly string[];
}

export interface TextSetting extends SettingBase {
  /** `path` is made absolute against the working directory; what `databaseUrl` and `secret` hold is never shown. */
  readonly kind: 'text' | 'path' | 'host' | 'url' | 'databaseUrl' | 'secret';
  readonly default: string | null;
}

/** One row of the table of settings. */
export type Setting = IntegerSetting | ChoiceSetting | TextSetting;

export function integer<const Name extends string, const Key extends string>(
  name: Name,
  key: Key,
  forRoles: readonly Role[],
  bounds: { default: number; min: number; max: number },
  description: string,
) {
  return { kind: 'integer', name, key, roles: forRoles, ...bounds, description } as const;
}

export function choice<const Name extends string, const Key extends string, const Choice extends string>(
  name: Name,
  key: Key,
  forRoles: readonly Role[],
  bounds: { default: NoInfer<Choice>; choices: readonly Choice[] },
  description: string,
) {
  return { kind: 'choice', name, key, roles: forRoles, ...bounds, description } as const;
}

export function text<
  const Name extends string,
  const Key extends string,
  const Kind extends TextSetting['kind'],
  const Default extends string | null,
>(name: Name, key: Key, forRoles: readonly Role[], bounds: { kind: Kind; default: Default }, description: string) {
  return { name, key, roles: forRoles, ...bounds, description } as const;
}
