import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Fault, World } from '../fault.ts';

export const lockStorm: Fault = {
  name: 'lock storm',
  does: 'a session locks the invoices that most events are about, and hundreds of others, longer than a statement may run',
  lane: 'database',
  async inject(world) {
    return await inSession(world, async (session) => {
      await session.query('begin');
      await session.query(
        `select from invoices
         where invoice_id = any($1) or invoice_id in (select invoice_id from invoices order by updated_at desc limit 300)
         order by invoice_id for update`,
        [world.stories.hotInvoices],
      );
      await pause(3_000);
      await session.query('rollback');
    });
  },
};

export const deadlocks: Fault = {
  name: 'deadlocks',
  does: 'a session locks the busiest invoices one by one, in the order opposite to that of the handlers, again and again for 3 s',
  lane: 'database',
  async inject(world) {
    const opposite = world.stories.hotInvoices.toSorted().toReversed();
    return await inSession(world, async (session) => {
      const endAtMs = performance.now() + 3_000;
      while (performance.now() < endAtMs) {
        await session.query('begin');
        try {
          for (const id of opposite) {
            await session.query('select from invoices where invoice_id = $1 for update', [id]);
            await pause(15);
          }
        } catch (error) {
          if (!isDeadlock(error)) throw error;
        }
        await session.query('rollback');
      }
    });
  },
};

export const longTransaction: Fault = {
  name: 'long transaction',
  does: 'a repeatable-read transaction stays open for 20 s, so that vacuum removes nothing',
  lane: 'background',
  async inject(world) {
    return await inSession(world, async (session) => {
      await session.query('begin isolation level repeatable read');
      await session.query('select count(*) from webhook_inbox');
      await pause(20_000);
      await session.query('rollback');
    });
  },
};

/** Answers whether the session lived to the end; the database may be restarted under it. */
async function inSession({ database }: World, work: (session: Client) => Promise<void>): Promise<boolean> {
  const session = await database.connect();
  try {
    await work(session);
    return true;
  } finally {
    await session.end().catch(() => undefined);
  }
}

function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40P01';
}
