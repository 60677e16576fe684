import type { Tx } from '@mailroom/db';
import { z } from 'zod';
import type { HandledEvent, TiePolicy } from '../handler.ts';
import { text, time } from '../payload-fields.ts';
import { settleTie } from '../settle-tie.ts';
import { snapshotTable } from '../snapshot-table.ts';

const accounts = snapshotTable({
  table: 'accounts',
  key: { account_token: 'text' },
  content: { status: 'text' },
});

const cards = snapshotTable({
  table: 'cards',
  key: { card_token: 'text' },
  content: { account_token: 'text', state: 'text' },
});

/** By stage: a closed account and a terminated card stay so (marqeta.com/docs, "User transitions", "Card transitions"). */
const stageOfAccount = { UNVERIFIED: 0, LIMITED: 1, ACTIVE: 1, SUSPENDED: 1, CLOSED: 2 } as const;
const stageOfCard = { UNACTIVATED: 0, UNVERIFIED: 0, ACTIVE: 1, SUSPENDED: 1, LIMITED: 1, TERMINATED: 2 } as const;

/** A user, who is an account here, came into a status. */
export const userTransition = z.object({
  user_token: text(200),
  status: z.enum(Object.keys(stageOfAccount) as (keyof typeof stageOfAccount)[]),
  created_time: time,
});

/** A card came into a state. */
export const cardTransition = z.object({
  card_token: text(200),
  user_token: text(200).nullish(),
  state: z.enum(Object.keys(stageOfCard) as (keyof typeof stageOfCard)[]),
  created_time: time,
});

/** Keeps the account's latest status; with its first transition the account appears. */
export async function applyUserTransition(
  tx: Tx,
  event: HandledEvent,
  { user_token: id, status, created_time: at }: z.output<typeof userTransition>,
  onTie: TiePolicy,
): Promise<void> {
  const [kept] = await accounts.keepGreatest(tx, [
    {
      key: { account_token: id },
      content: { status },
      stage: stageOfAccount[status],
      at,
      step: 0,
      eventId: event.eventId,
    },
  ]);
  if (kept) await settleTie(tx, event, { object: { type: 'user', id, key: `marqeta:user:${id}` }, kept, onTie });
}

/** Keeps the card's latest state. */
export async function applyCardTransition(
  tx: Tx,
  event: HandledEvent,
  { card_token: id, user_token, state, created_time: at }: z.output<typeof cardTransition>,
  onTie: TiePolicy,
): Promise<void> {
  const [kept] = await cards.keepGreatest(tx, [
    {
      key: { card_token: id },
      content: { account_token: user_token ?? null, state },
      stage: stageOfCard[state],
      at,
      step: 0,
      eventId: event.eventId,
    },
  ]);
  if (kept) await settleTie(tx, event, { object: { type: 'card', id, key: `marqeta:card:${id}` }, kept, onTie });
}
