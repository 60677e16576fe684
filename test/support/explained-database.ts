import type { Database } from '@mailroom/db';
import type pg from 'pg';

/** One statement that was run, and the plan that PostgreSQL would take for it. */
export interface ExplainedStatement {
  readonly text: string;
  readonly plan: string;
}

/**
 * The same database, noting the plan of every statement that has one before running it. Statements themselves run as they are.
 */
export function explainedDatabase(database: Database): { database: Database; statements: ExplainedStatement[] } {
  const statements: ExplainedStatement[] = [];

  const pool = new Proxy(database.pool, {
    get(target, name) {
      if (name === 'query') return (text: string, values?: unknown[]) => run(target, text, values);
      if (name === 'connect') return async () => explainedClient(await target.connect());
      return reflect(target, name);
    },
  });
  return { database: { ...database, pool }, statements };

  function explainedClient(client: pg.PoolClient): pg.PoolClient {
    return new Proxy(client, {
      get(target, name) {
        if (name === 'query') return (text: string, values?: unknown[]) => run(target, text, values);
        return reflect(target, name);
      },
    });
  }

  async function run(on: pg.Pool | pg.PoolClient, text: string, values: unknown[] = []): Promise<unknown> {
    if (/^\s*(\/\*.*?\*\/\s*)?(with|select|update|insert|delete)\b/i.test(text)) {
      const { rows } = await on.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      statements.push({ text, plan: rows.map((row) => row['QUERY PLAN']).join('\n') });
    }
    return await on.query(text, values);
  }

  function reflect(target: object, name: string | symbol): unknown {
    const value: unknown = Reflect.get(target, name, target);
    return typeof value === 'function' ? value.bind(target) : value;
  }
}
