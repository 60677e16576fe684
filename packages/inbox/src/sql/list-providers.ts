import type { Database } from '@mailroom/db';

/** Index: primary key of webhook_inbox; a loose index scan, one probe a provider. Read only. */
export async function listProviders(database: Database): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ provider: string }>(
    `with recursive found as (
      (select provider from webhook_inbox order by provider limit 1)
      union all
      select next.provider
      from found cross join lateral (
        select provider from webhook_inbox where provider > found.provider order by provider limit 1
      ) as next
    )
    select provider from found`,
  );
  return rows.map(({ provider }) => provider);
}
