import { Client } from 'pg';

let count = 0;
const query: unknown = Reflect.get(Client.prototype, 'query');

// The server of the npm package has no pg_stat_statements, so statements are counted where everybody sends them.
Object.assign(Client.prototype, {
  query(this: Client, ...given: unknown[]): unknown {
    count += 1;
    return Reflect.apply(query as (...given: unknown[]) => unknown, this, given);
  },
});

/** Statements that this process sent so far through `pg`, whoever sent them. */
export function countedStatements(): number {
  return count;
}
