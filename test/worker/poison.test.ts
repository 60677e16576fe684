import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  delivery,
  effectsOf,
  emptyInbox,
  failuresOf,
  inboxRow,
  incomingEvent,
  testReceiver,
} from '../support/inbox-fixtures.ts';
import { type StartedProcess, startProcess } from '../support/start-process.ts';
import { waitFor } from '../support/wait-for.ts';

interface Poison {
  readonly eventType: string;
  readonly ends: string;
  readonly reason: RegExp;
  readonly failure: string;
}

const poisons: readonly Poison[] = [
  { eventType: 'test.exit', ends: 'exhausted', reason: /worker died/, failure: 'worker_died' },
  { eventType: 'test.memory', ends: 'exhausted', reason: /worker died/, failure: 'worker_died' },
  { eventType: 'test.block', ends: 'exhausted', reason: /worker died/, failure: 'worker_died' },
  {
    eventType: 'test.backend',
    ends: 'exhausted',
    reason: /infrastructure retries used up .*: shutdown/,
    failure: 'shutdown',
  },
  {
    eventType: 'test.deadlock',
    ends: 'exhausted',
    reason: /infrastructure retries used up .*: deadlock/,
    failure: 'deadlock',
  },
];

describe('an event that harms its worker', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(() => emptyInbox(db.database));
  afterAll(() => db.drop());

  it.each(poisons)(
    'ends at its limit with the cause named, and its neighbours lose one attempt at most: $eventType',
    async (poison) => {
      const ordinary = Array.from({ length: 40 }, (_, n) => `ordinary_${n}`);
      const receiver = testReceiver(db.database, { maxAttempts: 3 });
      await Promise.all([
        ...ordinary.map((id) => receiver.receive(delivery(id))),
        receiver.receive(delivery('poison', { events: [incomingEvent('poison', { eventType: poison.eventType })] })),
      ]);
      await receiver.close();

      const fleet = keepRunning(db.url, 2);
      try {
        await waitFor(
          `the poison to be ${poison.ends}`,
          async () => (await inboxRow(db.database, 'poison')).state === poison.ends,
          {
            deadlineMs: 50_000,
          },
        );
        await waitFor('the ordinary events to be processed', async () => (await processed()) === ordinary.length, {
          deadlineMs: 50_000,
        });
      } finally {
        await fleet.stop();
      }
      expect((await inboxRow(db.database, 'poison')).state_reason).toMatch(poison.reason);
      expect((await failuresOf(db.database, 'poison')).map((failure) => failure.class)).toContain(poison.failure);
      expect(await effectsOf(db.database, 'poison')).toBe(0);
      for (const id of ordinary) {
        expect(await effectsOf(db.database, id)).toBe(1);
        expect((await inboxRow(db.database, id)).attempts).toBeLessThanOrEqual(2);
      }
    },
  );

  async function processed(): Promise<number> {
    const { rows } = await db.database.pool.query("select from webhook_inbox where state = 'processed'");
    return rows.length;
  }
});

/** Workers that are started again when they end, as an orchestrator does. */
function keepRunning(url: string, workers: number): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  const running = new Set<StartedProcess>();
  const slots = Array.from({ length: workers }, (_, n) => keepOne(`w${n + 1}`));
  return {
    stop: async () => {
      stopping.abort();
      for (const one of running) one.kill('SIGKILL');
      await Promise.all(slots);
    },
  };

  async function keepOne(name: string): Promise<void> {
    while (!stopping.signal.aborted) {
      const started = startProcess({
        script: 'test/worker/misbehaving-worker.ts',
        execArgv: ['--max-old-space-size=64'],
        args: [url, name],
      });
      running.add(started);
      await started.exited;
      running.delete(started);
    }
  }
}
