import type { Database } from '@mailroom/db';

/** The rows of one event id, in any endpoint, with the bytes that were stored. */
export async function storedRows(database: Database, eventId: string) {
  return await database.kysely
    .selectFrom('webhook_inbox as i')
    .innerJoin('webhook_delivery as d', 'd.delivery_id', 'i.delivery_id')
    .where('i.event_id', '=', eventId)
    .select(['i.provider', 'i.endpoint', 'i.event_type', 'i.state', 'i.secret_label', 'i.attempts', 'i.lease_token'])
    .select(['d.body', 'd.content_type', 'd.headers'])
    .orderBy('i.endpoint')
    .execute();
}

/** How many events the ledger holds. */
export async function countRows(database: Database): Promise<number> {
  const { count } = await database.kysely
    .selectFrom('webhook_inbox')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
