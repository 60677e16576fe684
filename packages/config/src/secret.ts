/** One configured secret. `label` may be shown, stored and logged; `value` never. */
export interface Secret {
  readonly label: string;
  /** Readable, but not enumerable: JSON and `util.inspect` show `[redacted]`, and a spread copy lacks it. */
  readonly value: string;
  /** From when on it counts; left out: always did. */
  readonly notBefore?: Date;
  /** Until when it counts; left out: for ever. */
  readonly notAfter?: Date;
}

/** When a secret counts. */
export type SecretWindow = Pick<Secret, 'notBefore' | 'notAfter'>;

/** Wraps a secret so that printing it, or anything that holds it, shows its label and `[redacted]`. */
export function sealSecret(label: string, value: string, window: SecretWindow = {}): Secret {
  return seal({ label, ...window }, { value });
}

/** Whether a secret counts at a moment: `too_early` before its window, `too_late` after it. */
export function validityOf({ notBefore, notAfter }: SecretWindow, atMs: number): 'valid' | 'too_early' | 'too_late' {
  if (notBefore !== undefined && atMs < notBefore.getTime()) return 'too_early';
  return notAfter !== undefined && atMs > notAfter.getTime() ? 'too_late' : 'valid';
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
