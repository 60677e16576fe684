/**
 * A fault with a stable code. Programs switch on `code`, people read `message`; nothing ever matches on message text.
 * `cause` keeps the original error.
 */
export class CodedError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CodedError';
    this.code = code;
  }
}

/** The message of anything thrown, for a person; never throws itself. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  try {
    return String(error);
  } catch {
    return 'an error that cannot be printed';
  }
}
