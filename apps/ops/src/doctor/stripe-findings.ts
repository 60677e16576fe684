import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';
import { count } from '../terminal/count.ts';
import { spanOf } from '../terminal/span.ts';
import { type Finding, fine, note, wrong } from './finding.ts';

/** Looks at what is to be asked of Stripe: whether there is a key for it, and whether Stripe wants fewer requests. Reads only. */
export async function stripeFindings(tx: Tx, hasKey: boolean): Promise<readonly Finding[]> {
  return [await keyFinding(tx, hasKey), ...(await limitFindings(tx))];
}

/** Without a key no worker takes these topics: they are unrouted, or pending where workers have no sink at all. */
async function keyFinding(tx: Tx, hasKey: boolean): Promise<Finding> {
  const { rows } = await sql<{ readonly pending: number; readonly unrouted: number }>`
    select count(*) filter (where state = 'pending')::float8 as pending,
      count(*) filter (where state = 'unrouted')::float8 as unrouted
    from outbox where state in ('pending', 'unrouted') and topic in ('stripe.call', 'stripe.refetch')`.execute(tx);
  const { pending = 0, unrouted = 0 } = rows[0] ?? {};
  const waiting = hasKey ? unrouted : pending + unrouted;
  if (hasKey && waiting === 0) return fine('STRIPE_API_KEY', 'set; nothing waits for it');
  if (hasKey) {
    const advice = 'Start the workers again with the key, with this environment.';
    return note(
      'STRIPE_API_KEY',
      `set here, and ${count(waiting)} calls of Stripe wait for a worker that has it`,
      advice,
    );
  }
  const advice = 'Set it for the workers: docs/write-backs.md.';
  if (waiting > 0) return wrong('STRIPE_API_KEY', `not set, and ${count(waiting)} calls of Stripe wait for it`, advice);
  return fine('STRIPE_API_KEY', 'not set, and nothing waits for it');
}

async function limitFindings(tx: Tx): Promise<readonly Finding[]> {
  const { rows } = await sql<{ readonly provider: string; readonly seconds: number; readonly reason: string }>`
    select provider, extract(epoch from not_before - now())::float8 as seconds, reason from provider_limits
    where not_before > now()`.execute(tx);
  return rows.map(({ provider, seconds, reason }) =>
    note(`limit of ${provider}`, `no worker calls it for another ${spanOf(seconds)}: ${reason}`, 'It ends by itself.'),
  );
}
