import type { Bench } from './bench.ts';

/** A table of snapshots: one row a product, with the version that it shows. */
export async function createPrices({ database }: Bench): Promise<void> {
  await database.pool.query(
    'create table prices (product text primary key, price integer not null, version integer not null)',
  );
}

/** What the table shows in the end. */
export async function pricesKept({ database }: Bench): Promise<string> {
  const { rows } = await database.pool.query<{ version: number }>('select version from prices');
  return `version ${rows.map(({ version }) => version).join(', ')}`;
}
