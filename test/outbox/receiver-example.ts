import type { Client } from 'pg';
import { Webhook } from 'standardwebhooks';

/** What a receiver of the signed HTTP sink does; docs/outbox.md quotes it. Throws where the message is not to be believed. */
export async function receiveMessage(
  client: Client,
  secret: string,
  rawBody: string,
  headers: Record<string, string>,
): Promise<void> {
  const message = new Webhook(secret).verify(rawBody, headers) as { id: string; data: { amount: string } };
  await client.query('begin');
  try {
    const { rowCount } = await client.query('insert into seen_messages (id) values ($1) on conflict do nothing', [
      message.id,
    ]);
    if (rowCount === 1) await client.query('insert into revenue (amount) values ($1)', [message.data.amount]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
