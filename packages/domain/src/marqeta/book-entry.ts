import type { Tx } from '@mailroom/db';
import { done, type HandlerOutcome, ignored, reject, snooze } from '@mailroom/kernel';
import { sql } from 'kysely';
import type { HandledEvent } from '../handler.ts';
import { recordAnomaly } from '../record-anomaly.ts';
import type { Transaction } from './read-transaction.ts';

/**
 * Records one message of a transaction as an entry of its account, once by its own token. An event of this kind is a delta: it
 * is never skipped because a later one has come, for the later one does not contain it. No balance is kept, it is the sum of the
 * entries (view `account_balances`), so it is right in every order.
 */
export async function bookEntry(
  tx: Tx,
  event: HandledEvent,
  transaction: Transaction,
  kind: 'authorization' | 'clearing',
): Promise<HandlerOutcome> {
  const { token, account, amount, currency, precedingToken, state } = transaction;
  if (state === 'DECLINED' || state === 'ERROR') return ignored(`the transaction moved nothing: ${state}`);
  const known = await tx
    .selectFrom('accounts')
    .select('account_token')
    .where('account_token', '=', account)
    .executeTakeFirst();
  if (!known) return await withoutAccount(tx, event);
  const booked = await tx
    .insertInto('account_entries')
    .values({
      transaction_token: token,
      account_token: account,
      kind,
      amount,
      currency,
      preceding_token: precedingToken,
      provider: event.provider,
      endpoint: event.endpoint,
      event_id: event.eventId,
    })
    .onConflict((conflict) => conflict.column('transaction_token').doNothing())
    .returning('transaction_token')
    .executeTakeFirst();
  if (!booked) await compareWithBooked(tx, transaction);
  return done;
}

/**
 * The account's own event may simply be behind: not yet is no fault of this one, so it waits without burning attempts. After a
 * day it is no longer late but missing; then a person has to look, and `mailroom retry` takes the event up again.
 */
const unknownAccount = { lookAgainMs: 30_000, giveUpAfterMs: 24 * 3_600_000 } as const;

async function withoutAccount(tx: Tx, { receivedAt }: HandledEvent): Promise<HandlerOutcome> {
  const { rows } = await sql<{ late: boolean }>`
    select now() < ${receivedAt}::timestamptz + ${unknownAccount.giveUpAfterMs} * interval '1 ms' as late`.execute(tx);
  if (rows[0]?.late) return snooze(unknownAccount.lookAgainMs, 'its account is not known yet');
  return reject('account_unknown', 'its account was not known within a day');
}

// The token is the message's name, so all events that bear it should say the same. Should they not, the first stays booked.
async function compareWithBooked(tx: Tx, { token, key, amount, currency }: Transaction): Promise<void> {
  const differing = await tx
    .selectFrom('account_entries')
    .select(['amount', 'currency'])
    .where('transaction_token', '=', token)
    .where((eb) => eb.or([eb('amount', '!=', amount), eb('currency', '!=', currency)]))
    .executeTakeFirst();
  if (!differing) return;
  const amounts = [`${differing.amount} ${differing.currency}`, `${amount} ${currency}`].toSorted();
  await recordAnomaly(tx, { kind: 'entry_amounts_differ', objectKey: key, detail: { amounts: amounts.join(', ') } });
}
