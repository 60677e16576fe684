export interface SecretForm {
  /** Empty where secrets have none. */
  readonly prefix: string;
  /** Without the prefix. */
  readonly minLength: number;
}

/** What is wrong with the form of a secret, in words that never repeat it; null when nothing is. */
export function secretFormProblem(value: string, form: SecretForm): string | null {
  if (value.length === 0) return 'is empty';
  if (/\s/.test(value)) return 'contains white space (a line break copied along with it?)';
  // A zero-width space or a byte order mark copied from a web page is as wrong as a line break, and cannot be seen.
  if (/[^\x21-\x7e]/.test(value)) return 'contains characters outside printable ASCII';
  if (!value.startsWith(form.prefix)) return `does not start with ${form.prefix}`;
  if (value.length < form.prefix.length + form.minLength) {
    const after = form.prefix === '' ? '' : ` after ${form.prefix}`;
    return `is too short: expected at least ${form.minLength} characters${after}`;
  }
  return null;
}

/**
 * The same for secrets that a person chose at the provider: every text is right, with spaces in it too, but none around it
 * and nothing that cannot be seen.
 */
export function chosenSecretProblem(value: string, minLength: number): string | null {
  if (value.length === 0) return 'is empty';
  if (value.trim() !== value) return 'has white space around it (a line break copied along with it?)';
  if (/[\p{Cc}\p{Cf}]/u.test(value)) return 'contains characters that cannot be seen';
  if (value.length < minLength) return `is too short: expected at least ${minLength} characters`;
  return null;
}
