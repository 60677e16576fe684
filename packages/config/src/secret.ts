/** One configured secret. `label` may be shown, stored and logged; `value` never. */
export interface Secret {
  readonly label: string;
  /** Readable, but not enumerable: JSON and `util.inspect` show `[redacted]`, and a spread copy lacks it. */
  readonly value: string;
}

/** Wraps a secret so that printing it, or anything that holds it, shows its label and `[redacted]`. */
export function sealSecret(label: string, value: string): Secret {
  return seal({ label }, { value });
}

/**
 * Adds `hidden` to `open` as accessors that no enumeration meets: a plain property, even a non-enumerable one, is printed
 * by `util.inspect` with `showHidden`. JSON and inspection see `[redacted]` in their place, or null where there is nothing.
 */
export function seal<O extends object, H extends Readonly<Record<string, string | null>>>(
  open: O,
  hidden: H,
): O & Readonly<H> {
  const shown = { ...open, ...Object.fromEntries(Object.entries(hidden).map(([k, v]) => [k, v && '[redacted]'])) };
  const sealed = { ...open };
  for (const [key, value] of Object.entries(hidden)) Object.defineProperty(sealed, key, { get: () => value });
  Object.defineProperty(sealed, 'toJSON', { value: () => shown });
  Object.defineProperty(sealed, inspectCustom, { value: () => shown });
  return Object.freeze(sealed) as O & Readonly<H>;
}

const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
