/** What the next matching call meets. */
export interface Fault {
  /** `POST /v1/refunds`; the path as it is called, a pattern for ids. */
  readonly on: string | RegExp;
  /**
   * An error's status, or the connection is cut without an answer (the SDK then tries once more by itself, whatever it was
   * told: `times: 2`). Left out: the true answer.
   */
  readonly answer?: number | 'drop';
  /** Of the error. */
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether what was asked for happens all the same. Default: no where `answer` is given. */
  readonly effect?: boolean;
  /** The answer is kept back until then; the effect has happened and the key is in use. */
  readonly until?: Promise<unknown>;
  /** Default 1. */
  readonly times?: number;
}

export interface Faults {
  /** Scripted in the order in which they are met. */
  readonly next: (fault: Fault) => void;
  /** On arrival 429 and cut connections are met, else what a call meets that is carried out: a replayed answer meets none. */
  readonly take: (call: string, when: 'on arrival' | 'carried out') => Fault | undefined;
}

export function createFaults(): Faults {
  const waiting: { readonly fault: Fault; left: number }[] = [];
  return {
    next: (fault) => void waiting.push({ fault, left: fault.times ?? 1 }),
    take: (call, when) => {
      const found = waiting.find(
        ({ fault: { on, answer }, left }) =>
          left > 0 &&
          (answer === 429 || answer === 'drop') === (when === 'on arrival') &&
          (typeof on === 'string' ? on === call : on.test(call)),
      );
      if (found) found.left -= 1;
      return found?.fault;
    },
  };
}
