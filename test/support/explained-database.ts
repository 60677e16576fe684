import type { Database } from '@mailroom/db';
import type pg from 'pg';
import { touchedPages } from './touched-pages.ts';

/** One statement that was run, and the plan that PostgreSQL would take for it. */
export interface ExplainedStatement {
  readonly text: string;
  readonly plan: string;
  /** Pages of 8 KiB that it looked at, found in memory or read; null where it was not measured. */
  readonly pages: number | null;
}

/**
 * The same database, noting the plan of every statement that has one before running it. Statements themselves run as they are. With
 * `measured` each is run once before, and rolled back, to count the pages it touches.
 */
export function explainedDatabase(
  database: Database,
  { measured = false }: { readonly measured?: boolean } = {},
): { database: Database; statements: ExplainedStatement[] } {
  const statements: ExplainedStatement[] = [];

  const pool = new Proxy(database.pool, {
    get(target, name) {
      if (name === 'query') return (text: string, values?: unknown[]) => runAlone(text, values);
      if (name === 'connect') return async () => explainedClient(await target.connect());
      return reflect(target, name);
    },
  });
  return { database: { ...database, pool }, statements };

  function explainedClient(client: pg.PoolClient): pg.PoolClient {
    return new Proxy(client, {
      get(target, name) {
        if (name === 'query') return (text: string, values?: unknown[]) => runInTransaction(target, text, values);
        return reflect(target, name);
      },
    });
  }

  async function runAlone(text: string, values: unknown[] = []): Promise<unknown> {
    if (hasPlan(text)) {
      const client = await database.pool.connect();
      try {
        await client.query('begin');
        await explain(client, text, values);
        await client.query('rollback');
      } finally {
        client.release();
      }
    }
    return await database.pool.query(text, values);
  }

  async function runInTransaction(client: pg.PoolClient, text: string, values: unknown[] = []): Promise<unknown> {
    if (hasPlan(text)) {
      await client.query('savepoint explained');
      await explain(client, text, values);
      await client.query('rollback to savepoint explained');
    }
    return await client.query(text, values);
  }

  async function explain(client: pg.PoolClient, text: string, values: unknown[]): Promise<void> {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    statements.push({ text, plan, pages: measured ? await touchedPages(client, text, values) : null });
  }

  function reflect(target: object, name: string | symbol): unknown {
    const value: unknown = Reflect.get(target, name, target);
    return typeof value === 'function' ? value.bind(target) : value;
  }
}

function hasPlan(text: string): boolean {
  return /^\s*(\/\*.*?\*\/\s*)?(with|select|update|insert|delete)\b/i.test(text);
}
