import { Client } from 'pg';
import { catalogQueries, unknownObjects } from './catalog-queries.ts';

/**
 * The schema of a database as SQL that makes it again: the same text for the same migrations. From the catalogs, for the
 * npm package of PostgreSQL has no pg_dump. Throws when the database holds a kind of object that it would leave out.
 */
export async function dumpSchema(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const unknown = await statements(client, unknownObjects);
    if (unknown.length > 0) {
      throw new Error(
        `the dump of the schema knows nothing of: ${unknown.join(', ')}. Teach it in catalog-queries.ts.`,
      );
    }
    const parts = [header];
    for (const query of catalogQueries) parts.push(...(await statements(client, query)));
    return `${parts.join('\n\n')}\n`;
  } finally {
    await client.end();
  }
}

const header = `-- What all migrations together make. Made by "npm run generate"; read it, do not edit or apply it.

-- Functions may be checked only when the tables they name are there.
set check_function_bodies = off;`;

async function statements(client: Client, query: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ statement: string }>(query);
  return rows.map(({ statement }) => statement);
}
