import { type Database, inTransaction } from '@mailroom/db';
import { sql } from 'kysely';
import { checkThenAct as lookThenBook } from '../../orders/naive-receivers.ts';
import { everyoneHere } from '../../support/everyone-here.ts';
import { bookedNaively, eventId } from '../booked.ts';
import type { Pattern } from '../pattern.ts';

const delivered = 'one event, 8 at once';

export const checkThenAct: Pattern = {
  name: 'check-then-act',
  title: 'Check, then act, at READ COMMITTED',
  why: 'Each delivery looks before any other has committed, so all of them see an event that nobody knows. A SELECT locks nothing that is not there yet; only a unique key makes the second wait for the first.',
  rightIn: 'packages/inbox/src/sql/insert-receipts.ts',
  ways: [
    {
      kind: 'wrong',
      does: 'SELECT; no row: book',
      delivered,
      expected: 'booked 8 times',
      run: async (bench) => {
        const allHaveLooked = everyoneHere(8);
        await Promise.all(eightServers(bench).map((server) => lookThenBook(server, eventId, allHaveLooked)));
        return await bookedNaively(bench);
      },
    },
    {
      kind: 'right',
      does: 'INSERT ... ON CONFLICT DO NOTHING; one row: book',
      delivered,
      expected: 'booked once',
      run: async (bench) => {
        await Promise.all(eightServers(bench).map(insertThenBook));
        return await bookedNaively(bench);
      },
    },
  ],
};

function eightServers({ open }: { readonly open: (own: { maxConnections: number }) => Database }): readonly Database[] {
  return Array.from({ length: 8 }, () => open({ maxConnections: 1 }));
}

async function insertThenBook(server: Database): Promise<void> {
  await inTransaction(server, async (tx) => {
    const inserted = await sql`insert into seen_events values (${eventId}) on conflict do nothing`.execute(tx);
    if (inserted.numAffectedRows === 0n) return;
    await sql`insert into bookings values (${eventId})`.execute(tx);
  });
}
