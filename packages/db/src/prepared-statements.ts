import { createHash } from 'node:crypto';
import { Client } from 'pg';

/** Which statements are worth a name, so that the server parses and plans them once a connection and not every time. */
export interface StatementNames {
  /** The name of a statement seen often enough; the same text has the same name everywhere. */
  nameOf(text: string): string | undefined;
  /** No names from now on: between us and the server somebody hands connections around. */
  giveUp(error: Error): void;
}

/** Names a text from its fifth use on, as pgJDBC does: one that is built anew each time would only fill the server's memory. */
export function createStatementNames(onGivenUp: (error: Error) => void): StatementNames {
  const names = new Map<string, string>();
  const uses = new Map<string, number>();
  let givenUp = false;
  return {
    nameOf: (text) => {
      if (givenUp) return undefined;
      return names.get(text) ?? earned(text);
    },
    giveUp: (error) => {
      if (givenUp) return;
      givenUp = true;
      onGivenUp(error);
    },
  };

  function earned(text: string): string | undefined {
    if (names.size >= maxNames) return undefined;
    const used = (uses.get(text) ?? 0) + 1;
    if (used < usesForName) {
      if (uses.size >= maxCounted) uses.clear();
      uses.set(text, used);
      return undefined;
    }
    uses.delete(text);
    // Of the text itself: behind a pooler a connection may know a name from somebody else, and must never mean another text by it.
    const name = `mailroom_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    names.set(text, name);
    return name;
  }
}

type QueryCallback = (error: Error | undefined, result: unknown) => void;

/** A client that sends statements with values by their names. Statements that come as objects are the caller's own affair. */
export function preparingClient(names: StatementNames): typeof Client {
  class PreparingClient extends Client {
    override query(...args: readonly unknown[]): never {
      const [text, values, callback] = args;
      const send = super.query.bind(this) as (...given: readonly unknown[]) => unknown;
      const name =
        typeof text === 'string' && Array.isArray(values) && values.length > 0 ? this.#nameOf(text) : undefined;
      if (name === undefined) return send(...args) as never;

      const statement = { name, text, values };
      if (typeof callback !== 'function') {
        const sent = send(statement) as Promise<unknown>;
        return sent.catch((error: unknown) => {
          if (!this.#lostName(error)) throw error;
          return send(text, values);
        }) as never;
      }
      return send(statement, (error: Error | undefined, result: unknown) => {
        if (error && this.#lostName(error)) send(text, values, callback);
        else (callback as QueryCallback)(error, result);
      }) as never;
    }

    #nameOf(text: string): string | undefined {
      const name = names.nameOf(text);
      // One behind the other on a pipelined connection, the first of them may still fail to be parsed, in a transaction that failed
      // before it; the second would then know nothing but a name that the server does not.
      return name !== undefined && name in submittedOf(this) ? undefined : name;
    }

    /** Whether the server did not know a name, or knew it already. Answers whether the statement may simply be sent again. */
    #lostName(error: unknown): boolean {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== invalidStatementName && code !== duplicateStatement) return false;
      names.giveUp(error as Error);
      return this.getTransactionStatus() === 'I';
    }
  }
  return PreparingClient;
}

/** The names that were sent to be parsed and are not yet answered: pg keeps them, and has no public way to ask. */
function submittedOf(client: Client): Readonly<Record<string, string>> {
  const { connection } = client as unknown as { connection?: { submittedNamedStatements?: Record<string, string> } };
  return connection?.submittedNamedStatements ?? {};
}

const usesForName = 5;
const maxNames = 200;
const maxCounted = 2_000;
const invalidStatementName = '26000';
const duplicateStatement = '42P05';
